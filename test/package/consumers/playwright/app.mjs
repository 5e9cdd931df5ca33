// README.md#quick-start, block 1
