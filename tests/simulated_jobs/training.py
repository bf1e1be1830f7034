"""The loop of a PyTorch training job on one rank. Hooks are generators that a case plants at places of the step:

load(t, step)             the next batch, before its copy to the device
in_forward(t, step, l)    after the forward pass of layer l
in_backward(t, step, l)   after the backward pass of layer l, on the autograd thread
before_optimizer(t, step), end_step(t, step)
upload(t, step)           in the place of the copy of the batch
"""
import math

from .case import MS, US

GEMM = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas"
ATTENTION = "void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, cutlass::bfloat16_t>>(Flash_fwd_params)"
ATTENTION_BACKWARD = "void flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<128>>(Flash_bwd_params)"
GELU = "void at::native::vectorized_elementwise_kernel<4, at::native::GeluFunctor<c10::BFloat16>, std::array<char*, 2>>(int)"
NORM = "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float>(int, float)"
LOSS = "void (anonymous namespace)::softmax_warp_forward<float, float, float, 8, true, false>(float*, float const*, int)"
ADAM = "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<FusedOptimizerTensorListMetadata<3>>()"
WRITE_TEXT = "<built-in method write of _io.TextIOWrapper object at 0x7f>"
EMBEDDING = "void at::native::(anonymous namespace)::indexSelectLargeIndex<c10::BFloat16, long, unsigned int, 2>()"
FORWARD = (("aten::layer_norm", NORM, 0.04), ("aten::mm", GEMM, 0.36), ("flash_attn::_flash_attn_forward", ATTENTION, 0.2),
           ("aten::mm", GEMM, 0.34), ("aten::gelu", GELU, 0.06))
BACKWARD = (("aten::gelu_backward", GELU, 0.06), ("aten::mm", GEMM, 0.19), ("aten::mm", GEMM, 0.19),
            ("flash_attn::_flash_attn_backward", ATTENTION_BACKWARD, 0.2), ("aten::mm", GEMM, 0.16), ("aten::mm", GEMM, 0.16),
            ("aten::native_layer_norm_backward", NORM, 0.04))
KERNELS = len(FORWARD) + len(BACKWARD)


class Shape:
    """What a model asks of its device: the same on all ranks, drawn once a job."""

    def __init__(self, job, step_ms=None, steps=None, layers=None, reads_loss=False, budget=4000):
        draw = job.draw
        self.step = int((step_ms or math.exp(draw.uniform(math.log(4), math.log(400)))) * MS)
        most_layers = max(1, int((self.step / (35 * US) - 8) / KERNELS))
        self.layers = min(most_layers, layers or draw.randint(3, 12))
        self.steps = steps or max(5, min(draw.randint(5, 30), budget // job.ranks // (self.layers * KERNELS)))
        self.reads_loss = reads_loss
        self.batch = int(min(8e6, self.step * 0.01 * 25))


class Training:
    def __init__(self, job, process, shape, **hooks):
        self.job, self.process, self.shape, self.hooks = job, process, shape, hooks
        self.main, self.autograd = process.thread("python"), process.thread("pt_autograd_0")
        self.speed = lambda step, layer: 1.0  # factor of the kernels of a layer
        self.blocks = lambda step, layer: 132  # that they are launched with
        self.python = 4 * US  # of an op, before its launch

    def hook(self, name, *arguments):
        if name in self.hooks:
            yield from self.hooks[name](self, *arguments)

    def op(self, thread, name, kernel, duration, stream=7, **more):
        with thread.within("cpu_op", name):
            yield from thread.quiet(self.python)
            yield from thread.launch(kernel, duration, stream, **more)
            yield from thread.quiet(self.python // 4)

    def item(self, thread=None):
        """Reads one number of the device."""
        thread = thread or self.main
        with thread.within("cpu_op", "aten::item"):
            with thread.within("cpu_op", "aten::_local_scalar_dense"):
                yield from thread.quiet(3 * US)
                yield from thread.copy("DtoH", 4, pinned=False)
                yield from thread.synchronize(7)

    def upload(self, size, **how):
        main = self.main
        with main.within("cpu_op", "aten::to"), main.within("cpu_op", "aten::_to_copy"), main.within("cpu_op", "aten::copy_"):
            yield from main.quiet(5 * US)
            yield from main.copy("HtoD", size, **how)

    def next_batch(self, takes, workers=True, within=None):
        """`within`: a generator of what is recorded meanwhile."""
        main = self.main
        name = "_MultiProcessingDataLoaderIter" if workers else "_SingleProcessDataLoaderIter"
        with main.within("user_annotation", "enumerate(DataLoader)#%s.__next__" % name):
            yield from main.quiet(takes)
            if within:
                yield from within

    def layer(self, thread, ops, part, step, layer, node=None):
        budget = self.shape.step * part / self.shape.layers * self.speed(step, layer)
        for name, kernel, share in ops:
            if node:
                with thread.within("cpu_op", "autograd::engine::evaluate_function: %s" % node):
                    yield from self.op(thread, name, kernel, budget * share, blocks=self.blocks(step, layer))
            else:
                yield from self.op(thread, name, kernel, budget * share, blocks=self.blocks(step, layer))

    def step(self, number):
        main, shape = self.main, self.shape
        begin = main.now
        if "load" in self.hooks:
            yield from self.hook("load", number)
        else:
            yield from self.next_batch(60 * US)
        if "upload" in self.hooks:
            yield from self.hook("upload", number)
        else:
            yield from self.upload(shape.batch)
        yield from self.op(main, "aten::embedding", EMBEDDING, shape.step * 0.02)
        for layer in range(shape.layers):
            yield from self.layer(main, FORWARD, 0.3, number, layer)
            yield from self.hook("in_forward", number, layer)
        yield from self.op(main, "aten::_log_softmax", LOSS, shape.step * 0.02)
        yield from self.autograd.quiet(20 * US)
        for layer in reversed(range(shape.layers)):
            yield from self.layer(self.autograd, BACKWARD, 0.6, number, layer, "MmBackward0")
            yield from self.hook("in_backward", number, layer)
        yield from self.hook("before_optimizer", number)
        with main.within("user_annotation", "Optimizer.step#AdamW.step"):
            for _ in range(3):
                yield from self.op(main, "aten::_fused_adamw_", ADAM, shape.step * 0.02)
        if shape.reads_loss:
            yield from self.item()
        yield from self.hook("end_step", number)
        main.note("user_annotation", "ProfilerStep#%d" % (number + 3), begin)

    def run(self):
        self.main.begin_loop()
        for number in range(self.shape.steps):
            yield from self.step(number)
        yield from self.main.end_loop()


def train(job, process, shape, **hooks):
    return Training(job, process, shape, **hooks).run()
