// Runs files of tests in the order of the command line: of a guard's tests the most likely to fail is the first.
const { default: Sequencer } = require('@jest/test-sequencer')

module.exports = class extends Sequencer {
  sort(tests) {
    const order = ({ path }) =>
      process.argv.findIndex((argument) => path.endsWith(argument.replace(/^.*(?=dist\/test)/, '')))
    return [...tests].sort((one, other) => order(one) - order(other))
  }
}
