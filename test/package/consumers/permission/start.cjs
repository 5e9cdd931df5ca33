// Runs main.cjs under Node's permission model: it may read its own folder and use the network, and nothing else.
const { spawnSync } = require('node:child_process')

const [major] = process.versions.node.split('.').map(Number)
const flags = [
  major >= 22 ? '--permission' : '--experimental-permission',
  `--allow-fs-read=${__dirname}`,
  // Older versions do not restrict the network, and refuse the flag.
  ...(major >= 25 ? ['--allow-net'] : []),
]
const { status } = spawnSync(process.execPath, [...flags, 'main.cjs'], { cwd: __dirname, stdio: 'inherit' })
process.exitCode = status ?? 1
