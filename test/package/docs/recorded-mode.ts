import { readFileSync } from 'node:fs'
import { FakeProvider, type ProviderMode } from '../../../lib/testing'

/** A provider with the ways that the doctor has recorded. */
export async function startRecorded(file: string): Promise<FakeProvider> {
  // Quoted: docs/connecting.md
  const mode: ProviderMode = JSON.parse(readFileSync(file, 'utf8')) // the file of --record
  const provider = await FakeProvider.start({ mode })
  // end
  return provider
}
