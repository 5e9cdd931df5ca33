import { Server } from 'node:net'
import { runProvider } from '../../../lib/testing/command'

test('a port that this user may not listen on is reported with the option for another one', async () => {
  // Some machines let everybody listen on every port.
  jest.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server) {
    setImmediate(() => this.emit('error', Object.assign(new Error('refused'), { code: 'EACCES' })))
    return this
  })
  await expect(runProvider(['--port', '80'])).rejects.toThrow(
    new Error('Port 80 may not be listened on by this user: choose another by --port, or 0 for a free one'),
  )
  jest.restoreAllMocks()
})
