const { default: Sequencer } = require('@jest/test-sequencer')

/** Runs files of tests in the order in which `TEST_FILES` has them; Jest's own begins with the slowest. */
module.exports = class extends Sequencer {
  sort(tests) {
    const order = (process.env.TEST_FILES ?? '').split('\n')
    return [...tests].sort((a, b) => order.indexOf(a.path) - order.indexOf(b.path))
  }
}
