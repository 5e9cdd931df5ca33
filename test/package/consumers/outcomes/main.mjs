// Plays the table of outcomes, which is part of the package's own tests, with SocialLogin in this runtime.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import process from 'node:process'
import { serve } from './serve.mjs'

const { port, close, settings } = await serve()
const root = process.env.PACKAGE_ROOT
const jest = [join(root, 'node_modules/jest/bin/jest.js'), '/login/outcomes.test.js', '-t', '\\(web']
const address = `http://127.0.0.1:${port}`
const env = { ...process.env, OUTCOMES_AT: address, ...settings }
const child = spawn('node', jest, { cwd: root, env, stdio: 'inherit' })
const [code] = await once(child, 'close')
const calls = await (await fetch(address)).json()
await close()
if (code !== 0) process.exit(1)
assert.ok(calls > 200, `the tests have called this runtime ${calls} times`)
console.log('ok')
