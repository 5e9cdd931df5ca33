import { replaceClock } from './clock'
import { CONFIGURATIONS } from './configuration'
import { explore } from './explore'

replaceClock()
// Nobody reads where an outcome was made, and to find out takes long.
Error.stackTraceLimit = 0

async function main(): Promise<void> {
  const [, , seconds = '20', pattern = ''] = process.argv
  for (const configuration of CONFIGURATIONS) {
    if (!configuration.name.includes(pattern)) continue
    const result = await explore(configuration, Number(seconds) * 1000)
    const { name } = configuration
    const { states, transitions, completeDepth, isComplete, milliseconds, finding } = result
    const exceptions = [...result.exceptions].map(([exception, { count }]) => `${exception}: ${count}`)
    console.log(name, states, transitions, completeDepth, isComplete, Math.round(milliseconds), exceptions.join('; '))
    if (process.argv[4]) console.log(result.outcomes)
    if (finding) console.log(finding.path, finding.error)
  }
}

void main()
