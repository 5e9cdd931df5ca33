// docs/files/limit-guesses.ts
