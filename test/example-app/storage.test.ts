import { TokenSealer } from '../../example-app/auth/token-sealer'
import { onLibsql } from '../support/example/storages'
import { testStorage } from './storages/storage'

onLibsql('storage of the example', testStorage)

describe('sealed tokens of the example', () => {
  test('open for their owner, with the secret they were sealed with, and not otherwise', async () => {
    const [old, current] = [
      new TokenSealer(['an old secret of the app']),
      new TokenSealer(['a new secret of the app', 'an old secret of the app']),
    ]
    const owner = { provider: 'https://social.example/api/v1', subject: '1' }
    const others = [
      { ...owner, subject: '2' },
      { ...owner, provider: 'https://chess.example/api/v1' },
    ]
    const sealed = await old.seal('token', owner)
    expect(sealed).not.toContain('token')
    expect(await current.open(sealed, owner)).toBe('token')
    for (const other of others) expect(await current.open(sealed, other)).toBeUndefined()
    expect(await old.open(await current.seal('token', owner), owner)).toBeUndefined()
    expect(await current.open('', owner)).toBeUndefined()
  })
})
