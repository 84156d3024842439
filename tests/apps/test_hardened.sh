#!/usr/bin/env bash
# test_hardened.sh - reads the ELF files of the programs that are installed (PROGRAMS): each is position-independent, binds all
# symbols before it starts and makes their table read-only, has no executable stack, and was compiled with stack
# protector, FORTIFY, stack clash and control flow protection. BUILD is the folder of the build.
# shellcheck source=tests/tools/assert.sh
source "$(dirname "$0")/../tools/assert.sh"
: "${PROGRAMS:?the programs, separated by colons}" "${BUILD:?the folder of the build}"

IFS=: read -ra programs <<<"$PROGRAMS"
for program in "${programs[@]}"; do
    name=$(basename "$program")
    elf=$(readelf --wide --file-header --program-headers --dynamic --notes --dyn-syms "$program")
    expect_match "$name is position-independent" "$elf" 'Type: +DYN'
    expect_match "$name is position-independent" "$elf" 'FLAGS_1.* PIE'
    expect_match "$name: RELRO" "$elf" 'GNU_RELRO'
    expect_match "$name: all symbols bound at the start" "$elf" 'FLAGS_1.* NOW'
    expect_match "$name: no executable stack" "$elf" 'GNU_STACK.* RW '
    expect_match "$name: stack protector" "$elf" '__stack_chk_fail'
    expect_match "$name: FORTIFY" "$elf" ' __(sn?|vsn?|f|vf)printf_chk'
    case $(uname -m) in
    x86_64)
        # The file's own mark (IBT, SHSTK) also needs a C library that has it; Debian's has not. So its code is read:
        # functions begin with endbr64, and frames of more than a page are touched page by page.
        code=$(objdump -d "$program" | awk '/>:$/ {first = 1; next} first && /endbr64/ {marked++} {first = 0}
                                            /or[ql] +\$0x0,\(%rsp\)/ {probes++} END {print marked + 0, probes + 0}')
        [ "${code% *}" -gt 100 ] || expect_equal "$name: functions with endbr64" "${code% *}" 'more than 100'
        [ "${code#* }" -gt 0 ] || expect_equal "$name: probes of large frames" "${code#* }" 'at least one'
        ;;
    esac
done

# Every file of the project, not only one per program. What is compiled for the kernel is no part of the list.
python3 - "$BUILD/compile_commands.json" <<'END' || failures=$((failures + 1))
import json, platform, sys
wanted = ["-fcf-protection=full"] if platform.machine() == "x86_64" else []
wanted += ["-fstack-protector-strong", "-fstack-clash-protection", "-D_FORTIFY_SOURCE=3"]
units = [u for u in json.load(open(sys.argv[1])) if u["file"].endswith(".c")]
bare = [(flag, u["file"]) for u in units for flag in wanted if flag not in u["command"]]
for flag, file in bare[:10]:
    print(f"FAIL {file} is compiled without {flag}")
if len(units) < 100:
    print(f"FAIL only {len(units)} files in the list")
sys.exit(bool(bare) or len(units) < 100)
END

finish
