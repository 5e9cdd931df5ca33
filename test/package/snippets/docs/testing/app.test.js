// docs/guides/testing.md#the-application-of-the-readme-as-it-stands, block 1
