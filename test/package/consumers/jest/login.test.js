// docs/testing.md#with-jest-in-commonjs, block 1
