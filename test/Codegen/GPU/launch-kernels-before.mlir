// RUN: gnn-opt --gnn-emulate-kernels --verify-diagnostics %s
// RUN: gnn-opt --gnn-embed-device-code --verify-diagnostics %s

// What takes kernels out of the module comes after what launches them.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @nothing() kernel {
      gpu.return
    }
  }
  func.func @launch(%n: index) {
    // expected-error @+1 {{'gpu.launch_func' op names a kernel, which is to become a call of the runtime before; run gnn-launch-kernels}}
    gpu.launch_func @kernels::@nothing blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
}
