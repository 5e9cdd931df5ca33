// docs/files/linking.ts
