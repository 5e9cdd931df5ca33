import { runDoctorProcess, unwrapped } from '../../support/doctor-command'
import { startExample } from '../../support/example/example-app'

test.each(['social-login', 'social-login-2'])(
  'the example application is found right at /auth/%s',
  async (community) => {
    const { appURL, stop } = await startExample({})
    const { code, stdout } = await runDoctorProcess(['--app', `${appURL}/auth/${community}`])
    await stop()
    expect([code, unwrapped(stdout)]).toStrictEqual([
      0,
      expect.stringContaining('5 checks: 5 good, 0 differs, 0 broken.'),
    ])
  },
)
