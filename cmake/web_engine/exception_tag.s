# The tag of C++ exceptions, which the linker makes in other targets.
	.tagtype __cpp_exception i32
	.globl	__cpp_exception
__cpp_exception:
