// docs/guides/testing.md#in-the-same-process, block 1

// docs/guides/testing.md#a-person-signs-in, block 1

// docs/guides/testing.md#the-provider-is-down, block 1

// docs/guides/testing.md#a-login-takes-too-long, block 1
