// docs/diagnostics.md#diagnostics, block 2
