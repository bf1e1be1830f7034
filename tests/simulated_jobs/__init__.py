"""Programs for GPUs with planted causes of lost time, simulated event by event, and the profiles that PyTorch or Nsight Systems
would have written of them. Each program has a twin without its cause: what the twin takes less is what the cause costs.

events.py, device.py, process.py, groups.py are the machine; kineto_file.py and nsys_file.py write profiles; training.py has the
loop of a PyTorch program; the modules named in cases.py have the programs. Nothing is shared with oracle/machine.py, so that
a mistake of one is not one of the other.
"""
