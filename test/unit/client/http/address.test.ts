import dns from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isPrivateHost, publicLookup, resolveName } from '../../../../lib/client/http/address'
import { listen } from '../../../support/listen'
import { NameServer } from '../../../support/name-server'

const PUBLIC = '93.184.215.14'
const PUBLIC_6 = '2606:2800:21f:cb07::1'

let names: NameServer

beforeAll(async () => {
  names = await NameServer.start()
})
afterAll(() => names.stop())

/** What a connection gets: the addresses, or the code of the error. */
function lookUp(name: string, lookup: LookupFunction, options: dns.LookupOptions = { all: true }): Promise<unknown> {
  return new Promise((resolve) => {
    lookup(name, options, (error, ...found) => resolve(error ? error.code : found))
  })
}

describe('the host of a URL', () => {
  test.each([
    ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0', '127.255.255.254', '①②⑦.0.0.1'],
    ...['10.0.0.1', '100.64.0.1', '169.254.169.254', '172.16.0.1', '172.31.255.255', '192.168.1.1', '198.18.0.1'],
    ...['192.0.2.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '255.255.255.255', '0.0.0.0'],
    ...['[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[fe80::1]', '[fec0::1]', '[fc00::1]', '[fd12::1]', '[ff02::1]'],
    ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::ffff:a9fe:a9fe]', '[::127.0.0.1]', '[2001:db8::1]'],
    ...[
      '[64:ff9b::10.0.0.1]',
      '[64:ff9b::127.0.0.1]',
      '[64:ff9b::a9fe:a9fe]',
      '[64:ff9b::1]',
      '[::ffff:0:127.0.0.1]',
      '[64:ff9b:1::a00:1]',
      '[2002:7f00:1::]',
      '[2001:0:53aa::1]',
    ],
  ])('%s is a private address', (host) => {
    expect(isPrivateHost(new URL(`https://${host}/`).hostname)).toBe(true)
  })

  test.each([
    ...['93.184.215.14', '1.1.1.1', '100.128.0.1', '172.32.0.1', '192.169.0.1', '[2606:4700::1111]'],
    ...['[::ffff:93.184.215.14]', '[64:ff9b::93.184.215.14]', 'social.example', '10.0.0.1.example', 'localhost'],
  ])('%s is none, or a name that is looked up', (host) => {
    expect(isPrivateHost(new URL(`https://${host}/`).hostname)).toBe(false)
  })

  // The registries of IANA, entry by entry: what comes before, the first and the last address, and what comes after. Empty: that
  // belongs to another entry.
  test.each([
    ['', '0.0.0.0', '0.255.255.255', '1.0.0.0'],
    ['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0'],
    ['100.63.255.255', '100.64.0.0', '100.127.255.255', '100.128.0.0'],
    ['126.255.255.255', '127.0.0.0', '127.255.255.255', '128.0.0.0'],
    ['169.253.255.255', '169.254.0.0', '169.254.255.255', '169.255.0.0'],
    ['172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
    ['191.255.255.255', '192.0.0.0', '192.0.0.255', '192.0.1.0'],
    ['192.0.1.255', '192.0.2.0', '192.0.2.255', '192.0.3.0'],
    ['192.167.255.255', '192.168.0.0', '192.168.255.255', '192.169.0.0'],
    ['198.17.255.255', '198.18.0.0', '198.19.255.255', '198.20.0.0'],
    ['198.51.99.255', '198.51.100.0', '198.51.100.255', '198.51.101.0'],
    ['203.0.112.255', '203.0.113.0', '203.0.113.255', '203.0.114.0'],
    ['223.255.255.255', '224.0.0.0', '255.255.255.255', ''],
    ['', '::', '::ffff:ffff', '::1:0:0'],
    ['::fffe:ffff:ffff:ffff', '::ffff:0:0:0', '::ffff:0:ffff:ffff', '::ffff:1:0:0'],
    ['64:ff9b:0:ffff:ffff:ffff:ffff:ffff', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff', '64:ff9b:2::'],
    ['ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '100::', '100::ffff:ffff:ffff:ffff', '100:0:0:1::'],
    ['2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:200::'],
    ['2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db9::'],
    ['2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2003::'],
    ['3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:1000::'],
    ['5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '5f01::'],
    ['fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'fe00::'],
    ['fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', ''],
    ['', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', ''],
    ['', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', ''],
  ])('between %s and the next public one, %s to %s are private, up to %s', (before, first, last, after) => {
    expect([first, last].map(isPrivateHost)).toStrictEqual([true, true])
    expect([before, after].filter((address) => address !== '' && isPrivateHost(address))).toStrictEqual([])
  })

  test('an address with a zone is judged without it', () => {
    expect(isPrivateHost('fe80::1%eth0')).toBe(true)
    expect(isPrivateHost('2606:4700::1111%eth0')).toBe(false)
  })
})

describe('a name', () => {
  const lookup = publicLookup(resolveName)

  test('has its addresses of both kinds', async () => {
    names.tell('both.example', () => [PUBLIC, PUBLIC_6])
    const [first, second] = [
      { address: PUBLIC, family: 4 },
      { address: PUBLIC_6, family: 6 },
    ]
    expect(await lookUp('both.example', lookup)).toStrictEqual([[first, second]])
    expect(await lookUp('both.example', lookup, { all: true, family: 4 })).toStrictEqual([[first]])
    expect(await lookUp('both.example', lookup, { all: true, family: 6 })).toStrictEqual([[second]])
    expect(await lookUp('both.example', lookup, {})).toStrictEqual([PUBLIC, 4])
    expect(await lookUp('both.example', lookup, { family: 6 })).toStrictEqual([PUBLIC_6, 6])
  })

  test.each([
    ['the only address is', ['10.0.0.1']],
    ['the first of several addresses is', ['127.0.0.1', PUBLIC]],
    ['the last of several addresses is', [PUBLIC, PUBLIC_6, '192.168.0.1']],
    ['an IPv6 address beside a public IPv4 address is', [PUBLIC, '::1']],
    ['an IPv4 address inside an IPv6 address is', ['::ffff:10.0.0.1']],
  ])('is refused where %s private', async (_title, addresses) => {
    names.tell('inside.example', () => addresses)
    expect(await lookUp('inside.example', lookup)).toBe('PRIVATE_ADDRESS')
    expect(await lookUp('inside.example', lookup, {})).toBe('PRIVATE_ADDRESS')
  })

  test('is refused where a lookup gives what is no address', async () => {
    const strange = publicLookup((_name, _options, callback) => callback(null, [{ address: 'elsewhere', family: 4 }]))
    expect(await lookUp('strange.example', strange)).toBe('PRIVATE_ADDRESS')
  })

  test('of /etc/hosts, or without any address, is not found', async () => {
    expect(await lookUp('localhost', lookup)).toBe('ENOTFOUND')
    expect(await lookUp('nowhere.example', lookup)).toBe('ENOTFOUND')
  })

  test('is not found where the name server refuses the connection, which says nothing about the provider', async () => {
    const gone = await listen()
    await gone.stop()
    const servers = dns.getServers()
    dns.setServers([new URL(gone.origin).host.replace('localhost', '127.0.0.1')])
    const found = await lookUp('both.example', lookup)
    dns.setServers(servers)
    expect(found).toBe('ENOTFOUND')
  })
})
