"""Operations without a model, for some seconds: operations.py SECONDS [code that runs first]."""
import signal
import sys
import time

import torch

exec("".join(sys.argv[2:]), {"signal": signal})
values = torch.ones(64, 64)
end = time.process_time() + float(sys.argv[1])
while time.process_time() < end:
    values = (values @ values).tanh()
print("done")
