import express from 'express'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { GuessLimit } from '../../example-app/auth/limit-guesses'
import { Browser, closeBrowsers } from '../support/browser'
import { listen } from '../support/listen'

afterAll(closeBrowsers)

test('of hundreds of callbacks of one address at once, two hundred wait and the rest are refused at once', async () => {
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
  // However busy the machine is, nobody has waited too long.
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0)
  const sent = Array.from({ length: 400 }, () => new Browser().request(`${server.origin}/callback`))
  await Promise.race(sent)
  while (answers.length < 200) await new Promise((resolve) => setImmediate(resolve))
  expect(answers.filter((answer) => answer === 'passed')).toHaveLength(10)
  expect(answers.filter((answer) => answer === 'overloaded')).toHaveLength(190)
  finish()
  await Promise.all(sent)
  clock.mockRestore()
})
