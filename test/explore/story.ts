import type { Configuration } from './configuration'
import { type Finding, type Path, PROBES, replay } from './explore'
import { settingOf } from './world'

/** Who did what, in order. */
export async function storyOf(configuration: Configuration, path: Path): Promise<string[]> {
  const told: string[] = []
  try {
    await replay(settingOf(configuration), path, ({ story }) => told.push(story))
  } catch {
    // The last event is the one that breaks the invariant.
  }
  return told.map((sentence, index) => `${String(index + 1).padStart(4)}. ${sentence}`)
}

/** A test that fails until the defect is mended, for test/explore/stories.test.ts. */
export function testOf({ name }: Configuration, { path, error }: Finding): string {
  const events = path.map((event) => `    ${JSON.stringify(event).replaceAll('"', "'")},`)
  const title = error.message.split(':', 1).join()
  return [`test('it never happens that ${title}', () =>`, `  follow('${name}', [`, ...events, '  ]))'].join('\n')
}

/** A finding as a text to read, and the test. */
export async function reportOf(configuration: Configuration, finding: Finding): Promise<string> {
  const { path, error } = finding
  const asked = path.at(-1) === PROBES ? ['   Then the requests are sent that must be refused.'] : []
  const story = await storyOf(configuration, path)
  return [`${configuration.name}: ${error.message}`, ...story, ...asked, '', testOf(configuration, finding)].join('\n')
}
