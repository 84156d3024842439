"""parameter_server.py - a loop closed in Python: workers send gradients to a server, which waits for all of them, thinks,
and sends the parameters back. How long an iteration takes hangs on the buffer's policy.

    python3 parameter_server.py
"""

import weir

WORKERS, ROUNDS, BYTES = 8, 5, "400KB"
SCENARIO = f"""
until: 1s
topology: {{kind: single, hosts: {WORKERS + 1}, rate: 10Gbps, delay: 5us}}
switch: {{buffer: 100KB, policy: dt}}
transports: {{dctcp: {{kind: dctcp, min_rto: 1ms}}}}
traffic: [{{kind: messages, tag: training, transport: dctcp}}]
"""


class ParameterServer:
    def __init__(self, sim):
        self.sim, self.left, self.begins = sim, 0, [0]
        self.begin(None)

    def begin(self, event):
        self.left = WORKERS
        for worker in range(1, WORKERS + 1):
            self.sim.send(worker, 0, BYTES, received=self.gradient)

    def gradient(self, event):
        self.left -= 1
        if self.left == 0:
            self.sim.timer(event.when + weir.ps("50us"), call=self.answer)  # the server computes

    def answer(self, event):
        self.left = WORKERS
        for worker in range(1, WORKERS + 1):
            self.sim.send(0, worker, BYTES, received=self.parameters)

    def parameters(self, event):
        self.left -= 1
        if self.left == 0:
            self.begins.append(event.when)
            if len(self.begins) <= ROUNDS:
                self.begin(event)


for policy in ("dt", "occamy", "lqd"):
    with weir.Simulation(SCENARIO, set={"switch.policy": policy}) as sim:
        server = ParameterServer(sim)
        sim.loop()
        took = (server.begins[-1] - server.begins[0]) / ROUNDS / 1e9
        print(f"{policy}: {took:.3f} ms per iteration, {sim['lost.total']:.0f} packets lost")
