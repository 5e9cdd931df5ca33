/** Answers the commands that `Child.ask` (processes.js) sends to this process. */
export function serveCommands(commands) {
  process.on('message', async ({ id, name, input }) => {
    try {
      process.send({ id, result: await commands[name](input) })
    } catch (error) {
      process.send({ id, error: String(error?.stack ?? error) })
    }
  })
  // The parent is gone: so is the reason to live.
  process.on('disconnect', () => process.exit())
  process.send({ id: 0 })
}
