import { type Ended, runDoctor } from '../support/doctor-command'

/** Examines one provider after the other, by their base URLs. Prints how each examination ended. */
async function main(baseURLs: readonly string[]): Promise<void> {
  const ended: Ended[] = []
  for (const baseURL of baseURLs) ended.push(await runDoctor([baseURL, '--timeout', '1']))
  console.log(JSON.stringify(ended))
}

void main(process.argv.slice(2))
