// docs/guides/durable-object.md#one-use-on-many-machines-a-durable-object, block 1
