#!/usr/bin/env bash
# test_dist.sh - what `make dist` makes: the source tarball is the same each time and is the commit. With `make test-long`
# also the Linux tarball, unpacked elsewhere and run without anything of this machine's; packages, installed and removed in
# a fresh Debian, and the root of a container image, where the machine may make one.
# shellcheck source=tests/tools/assert.sh
. "$(dirname "$0")/assert.sh"
git -C "$root" rev-parse HEAD >/dev/null 2>&1 || { echo 'skipped: no commit to make it from'; exit 77; }
version=$(sed -n 's/^#define WEIR_VERSION "\(.*\)"/\1/p' "$root/include/weir/version.h")

for n in 1 2; do
    "$root/tools/makedist" "$scratch/$n" source >/dev/null
    sleep 1.1 # a tarball must not hold the time it was made
done
expect_equal 'the same bytes twice' "$(<"$scratch/1/SHA256SUMS")" "$(<"$scratch/2/SHA256SUMS")"
mkdir "$scratch/source"
tar -xzf "$scratch/1/weir-$version.tar.gz" -C "$scratch/source"
expect_equal 'the files of the commit' "$(cd "$scratch/source/weir-$version" && find . -type f -o -type l | sort)" \
    "$(git -C "$root" ls-tree -r --name-only -z HEAD | tr '\0' '\n' | sed 's,^,./,' | sort)"
expect_equal 'an unknown part' "$("$root/tools/makedist" "$scratch/1" windows 2>&1 || true)" \
    "makedist: no part 'windows' (expected source, linux, playground or root)"

if [ "${WEIR_TEST_ROUNDS:-1}" -gt 1 ]; then
    "$root/tools/makedist" "$scratch/1" linux >/dev/null
    mkdir -p "$scratch/else where"
    tar -xzf "$scratch/1/weir-$version-linux-$(uname -m).tar.gz" -C "$scratch/else where"
    cd "$scratch/else where"/weir-*
    expect_match 'version' "$(env -i bin/weir --version)" "^weir $version"
    expect_match 'its libraries are its own' "$(env -i LD_TRACE_LOADED_OBJECTS=1 bin/weir)" "else where/.*libsqlite3"
    expect_match 'it finds figures' "$(env -i bin/weir repro)" 'tdt/fig7'
    expect_equal 'it runs' "$(env -i bin/weir run share/weir/scenarios/examples/incast.yaml 2>&1 >"$scratch/log" || echo failed)" ''
    # shellcheck disable=SC2012 # names of packages
    expect_equal 'a license for each library and weir' "$(ls licenses | wc -l)" "$(($(ls lib | wc -l) + 1))"

    # Packages, made here, installed, tried and removed in a fresh Debian; what is left is the root of an image with weir.
    missing=$(for command in debootstrap dh dpkg-buildpackage unshare; do command -v $command >/dev/null || echo "$command"; done)
    if [ "$(id -u)" -ne 0 ] || [ -n "$missing" ]; then
        echo "skipped: packages in a fresh Debian: ${missing:-root} is missing"
    else
        suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
        "$root/tools/makedeb" "$scratch/packages" nocheck >"$scratch/log" 2>&1 || tail -n 20 "$scratch/log"
        commands=('apt-get install -y -qq --no-install-recommends ./*.deb'
            'cd / && weir --version && weir run --output /tmp/r.db /usr/share/weir/scenarios/examples/incast.yaml'
            'cd / && weir report -o /tmp/r.html /tmp/r.db && man -w weir >/dev/null 2>&1; test -s /tmp/r.html'
            'python3 -c "import weir; print(weir.MMU(ports=2, buffer=100000).used)"'
            "apt-get purge -y -qq '*weir*' && ! find /usr /etc -name '*weir*' | grep ."
            'apt-get install -y -qq --no-install-recommends ./weir_*.deb ./libweir*1_*.deb')
        "$root/tools/trysystem" --folder "$scratch/systems" --files "$scratch/packages" --save "$scratch/root.tar.gz" \
            "$suite" "${commands[@]}" >"$scratch/log" 2>&1 || cat "$scratch/log" "$scratch/systems/$suite.log"
        expect_equal 'commands that passed' "$(grep -o ': passed in' "$scratch/log" | wc -l)" ${#commands[@]}
        # An image: whole, with weir, without names of hosts.
        mkdir "$scratch/image"
        tar -xzf "$scratch/root.tar.gz" -C "$scratch/image"
        expect_match 'the image runs weir' "$(chroot "$scratch/image" /usr/bin/weir --version)" "^weir $version"
        expect_equal 'the image names no host' "$(cat "$scratch/image/etc/apt/sources.list" "$scratch/image/etc/hostname" \
            "$scratch/image/etc/resolv.conf" 2>/dev/null || true)" ''
    fi
fi
finish
