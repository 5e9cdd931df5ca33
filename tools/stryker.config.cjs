// See tools/mutation.mjs, which runs it.
module.exports = {
  testRunner: 'jest',
  coverageAnalysis: 'perTest',
  // Not `npm run build`, which would install the packages again: this folder lies in that of the project, and uses its own.
  buildCommand: 'tsc -p tsconfig.json --skipLibCheck',
  // Stryker reads a file of this name through an interface that TypeScript 7 does not have.
  tsconfigFile: 'none.json',
  // It warns of each test, because it finds the compiled ones among no sources.
  logLevel: 'error',
  // Jest looks for no tests in a folder whose name begins with a dot.
  tempDirName: 'stryker-tmp',
  ignorePatterns: ['dist', 'bench', 'coverage', 'data', 'docs/site', 'reports'],
  // Texts may change at any time.
  mutator: { excludedMutations: ['StringLiteral'] },
  reporters: ['clear-text', 'progress', 'html'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportScoreTable: false },
  dryRunTimeoutMinutes: 20,
  // Generous, because a mutant that ends nothing is rare, and a busy machine is not.
  timeoutMS: 30_000,
  jest: {
    projectType: 'custom',
    // Jest would relate the tests, which are compiled, to the sources.
    enableFindRelatedTests: false,
    config: {
      testEnvironment: 'node',
      transform: {},
      roots: ['<rootDir>/dist/test'],
      testMatch: (process.env.MUTATION_TESTS ?? '').split(',').map((path) => `<rootDir>/dist/${path}`),
      // The last one starts the small application, which has its own build.
      testPathIgnorePatterns: ['/(browsers|concurrency|processes)/', 'stripping-proxy'],
    },
  },
}
