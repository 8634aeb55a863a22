// RUN: gnn-opt --gnn-embed-device-code --split-input-file \
// RUN:   --verify-diagnostics %s | FileCheck %s

// CHECK: module attributes {gnn.device_image = "some code"}
// CHECK-NOT: gpu.binary
module attributes {gpu.container_module} {
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90">, bin = "some code">]
}

// -----

module {
  // expected-error @+1 {{a kernel calls '__nv_powf' of libdevice, which is part of the CUDA toolkit; install the toolkit and set CUDA_HOME to its folder}}
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90">, assembly = ".extern .func (.param .b32 func_retval0) __nv_powf (">]
}
