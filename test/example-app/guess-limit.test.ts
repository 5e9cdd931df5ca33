import { connect } from 'node:net'
import express from 'express'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { GuessLimit } from '../../example-app/auth/limit-guesses'
import { listen } from '../support/listen'
import { until } from '../support/turns'

test('of hundreds of simultaneous callbacks of one address, two hundred wait and the rest are refused immediately', async () => {
  const guesses = new GuessLimit(new RateLimiterMemory({ points: 10, duration: 600 }), 'first')
  const answers: string[] = []
  const app = express()
  app.get('/callback', async (req, res) => {
    const attempt = await guesses.begin(req, res)
    answers.push('end' in attempt ? 'passed' : attempt.reason)
    if ('end' in attempt) await waiting
    res.end()
  })
  let finish = (): void => {}
  const waiting = new Promise<void>((resolve) => {
    finish = resolve
  })
  await using server = await listen(app)
  // No callback waits too long, however busy the machine is.
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0)
  const sockets = Array.from({ length: 10 }, () => connect(Number(new URL(server.origin).port), 'localhost'))
  for (const socket of sockets) socket.resume().write('GET /callback HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(40))
  await until(() => answers.length === 200)
  expect(answers.filter((answer) => answer === 'passed')).toHaveLength(10)
  expect(answers.filter((answer) => answer === 'overloaded')).toHaveLength(190)
  finish()
  await until(() => answers.length === 400)
  for (const socket of sockets) socket.destroy()
  clock.mockRestore()
})
