// Renews docs/doctor.png and the transcript in docs/connecting.md: the doctor on a terminal of 80 columns, with a fake
// provider as deployed providers are. Needs a build, Chromium, and the commands script and pngquant (Debian: bsdutils, pngquant).
//   node tools/doctor-picture.mjs
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { shrink } from './shrink.mjs'

const root = join(import.meta.dirname, '..')
const command = 'npx passport-social-login doctor http://127.0.0.1:4400/api/v1 --app-id my-app'
const colours = { 31: '#ff7b72', 32: '#7ee787', 33: '#f2cc60' }

const options = [
  '--mode',
  'as-deployed,withoutUserMe',
  '--app',
  'My app=http://localhost:3000/callback',
  '--app-id',
  'my-app',
]
const provider = spawn('node', ['dist/lib/cli.js', 'provider', ...options], {
  cwd: root,
  stdio: ['ignore', 'pipe', 'inherit'],
})
await once(provider.stdout, 'data')
const doctor = command.replace('npx passport-social-login', 'node dist/lib/cli.js')
const { NO_COLOR: _, ...env } = process.env
// The progress is on standard error.
const output = execFileSync('script', ['-qec', `${doctor} 2>/dev/null`, '/dev/null'], {
  cwd: root,
  env,
  encoding: 'utf8',
})
provider.kill()

const text = output.replaceAll('\r', '').trim()
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal
const COLOUR = /\x1b\[(\d+)m/g
const page = join(root, 'docs/connecting.md')
const transcript = () => `\`\`\`text\n$ ${command}\n${text.replace(COLOUR, '')}\n\`\`\``
writeFileSync(page, readFileSync(page, 'utf8').replace(/```text\n[\s\S]*?\n```/, transcript))

const escaped = text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
const coloured = escaped.replace(COLOUR, (_sequence, code) =>
  colours[code] ? `<b style="color:${colours[code]}">` : '</b>',
)
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
const view = await browser.newPage({ deviceScaleFactor: 1 })
await view.setContent(
  `<pre style="display:inline-block;margin:0;padding:16px 20px;background:#161b22;color:#e6edf3;font:14px/1.45 monospace">$ ${command}\n${coloured}</pre>`,
)
const picture = join(root, 'docs/doctor.png')
await view.locator('pre').screenshot({ path: picture })
shrink(picture)
await browser.close()
