// docs/files/native.ts
