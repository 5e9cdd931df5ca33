import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/** axe-core's findings on a page once all of it is there, as `id: element`. */
export async function accessibilityFindings(page: Page): Promise<string[]> {
  await page.waitForLoadState()
  await page.evaluate(axe)
  const findings: unknown = await page.evaluate(
    'axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html)))',
  )
  return Array.isArray(findings) ? findings.map(String) : ['axe-core did not answer']
}
