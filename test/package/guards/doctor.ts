import { guards } from './mutant'

const BROKEN = ['doctor/bounds', 'doctor/options', 'doctor/refusals', 'doctor/broken-providers']

/** Of `lib/doctor/`. */
export const DOCTOR_MUTANTS = [
  ...guards(
    'doctor/address',
    [...BROKEN, 'doctor/hostile-providers', 'doctor/command', 'doctor/certificates'],
    [
      ['a redirect to plain http is followed', "from.protocol === 'https:' && url.protocol === 'http:'", 'false'],
      ['a redirect to anything is followed', 'if (!url.pathname.endsWith(`/v1${SUFFIX}`))', 'if (false)'],
      ['a redirect to no web address is none', 'if (url === undefined)', 'if (false)'],
      ['a secret goes by plain http', "protocol === 'https:' || ", 'true || '],
      ['the proxy is gone round', 'if (!examination.options.proxied)', 'if (true)'],
    ],
  ),
  ...guards(
    'doctor/arguments',
    ['doctor/bounds', 'doctor/callback', 'doctor/command', 'doctor/hostile-providers'],
    [
      ['a secret may be an argument', 'if (args.some((arg) =>', 'if (false && args.some((arg) =>'],
      ['an option with secret in its name takes one', '/^--?[a-z-]*secret/i.test(arg) ||', ''],
      ['a secret may be in a URL', '/[?&](app_secret|auth_key|access_token)=/.test(arg) ||', ''],
      ['a password may be in a URL', '||\n        /\\/\\/[^/]*:[^/]*@/.test(arg)', ''],
      ['the secret itself may be an argument', '(secret && arg.includes(secret))', 'false'],
      ['any scheme is a base URL', '!/^https?:$/.test(url.protocol) || url.search', 'url.search'],
      ['a base URL may have a query', 'url.search || ', ''],
      ['a base URL may have a user', ' || url.username', ''],
      ['a base URL may have a fragment', 'url.hash || ', ''],
      ['a base URL may end in anything', "if (!url.pathname.endsWith('/v1'))", 'if (false)'],
      [
        'a long host is parsed',
        '(0, url_1.parseURL)(text);\n    if (!url || !/^https?:$/.test(url.protocol) ||',
        'new URL(text);\n    if (!url || !/^https?:$/.test(url.protocol) ||',
      ],
      ['a record may be lost after a login', 'if (values.record !== undefined)', 'if (false)'],
      [
        'a request may take more than two minutes',
        'limits_1.MAX_TIMEOUT_MS / 1000)',
        'limits_1.MAX_TIMEOUT_MS / 1000 + 1)',
      ],
    ],
  ),
  ...guards(
    'doctor/browser-login',
    ['doctor/bounds', 'doctor/callback', 'doctor/command', 'doctor/hostile-providers'],
    [
      ['a secret goes into a URL unasked', 'return allowGet;', 'return true;'],
      ['any answer is yes', '/^y(es)?$/i', '/^/'],
      ['a callback is caught for any host', '(localhost|127\\.0\\.0\\.1|\\[::1\\])(:\\d+)?([/?#]|$)', '.*'],
      ['anybody can connect to the doctor', "hostname.replace(/^\\[|\\]$/g, ''), resolve", 'undefined, resolve'],
      ['any path is the callback', '=== pathname &&', '!== undefined &&'],
      ['any method is the callback', "method === 'GET' && ", ''],
      ['any host is the callback', 'headers.host === host && ', ''],
      ['a picture on any website is the callback', ' && isNavigation(headers)', ''],
      ['a frame is the callback', "destination === 'document' && ", ''],
      ['a script is the callback', " && mode === 'navigate'", ''],
      ['a picture of an old browser is the callback', " || accept.includes('text/html')", ' || true'],
    ],
  ),
  ...guards(
    'doctor/command',
    ['doctor/bounds', 'doctor/callback', 'doctor/command', 'doctor/hostile-providers'],
    [
      [
        'an unknown error is quoted',
        'throw new Error(`The doctor failed:',
        'throw error; throw new Error(`The doctor failed:',
      ],
      [
        'the secret is shown as it is typed',
        "'Application secret (not shown): ', true",
        "'Application secret (not shown): ', false",
      ],
      ['the doctor keeps listening', 'listener?.close();', ''],
      ['broken providers are good ones', 'return examination.isBroken ? 1 : 0', 'return 0'],
    ],
  ),
  ...guards(
    'doctor/doctor',
    [...BROKEN, 'doctor/hostile-providers', 'doctor/certificates'],
    [
      ['a secret that the provider knows is printed', 'examination.hide(input.login.appSecret);', ''],
      ['a secret goes to another address', 'if (found.href !== typed.href)', 'if (false)'],
      ['a secret goes by plain http', 'if (!(0, address_1.isSafe)(found))', 'if (false)'],
      ['an obstacle does not keep from a login', 'if (obstacle !== undefined)', 'if (false)'],
      [
        'connections stay open',
        'finally {\n        await probe.close();\n    }\n}\nasync function examineAPI',
        'finally {\n    }\n}\nasync function examineAPI',
      ],
    ],
  ),
  ...guards(
    'doctor/endpoints',
    ['doctor/bounds', 'doctor/options', 'doctor/hostile-providers'],
    [
      ['invented values are guessable', "(0, node_crypto_1.randomBytes)(16).toString('hex')", "'0'.repeat(32)"],
      ['a POST has the secret in its URL', "if (method === 'POST')", 'if (false)'],
      ['the token is not encoded', 'new URLSearchParams({ access_token: token })', '`access_token=${token}`'],
    ],
  ),
  ...guards(
    'doctor/examination',
    [...BROKEN, 'doctor/hostile-providers', 'doctor/command'],
    [
      ['secrets are shown', 'const shown = this.isHarmless(message)', 'const shown = true'],
      ['secrets in capitals are shown', 'forms.push(plain.toLowerCase())', 'forms.push(plain)'],
      ['a text that was encoded without end is shown', 'forms.length <= MAX_ENCODINGS && !', '!'],
      ['findings hold escapes of terminals', '(0, text_1.printable)(message)', 'message'],
    ],
  ),
  ...guards('doctor/exchange', BROKEN, [
    [
      'a token for invented values is good',
      '(0, response_1.tokenIn)(byPost) !== undefined || (0, response_1.tokenIn)(byGet) !== undefined',
      'false',
    ],
    ['compressed responses are good', '!isUnreadable(byPost)', 'true'],
  ]),
  ...guards(
    'doctor/login-page',
    [...BROKEN, 'doctor/hostile-providers'],
    [
      ['an origin that holds a secret is proposed', 'if (!examination.isHarmless(url.origin))', 'if (false)'],
      ['a redirect to no web address is followed', 'if (next === undefined)', 'if (false)'],
    ],
  ),
  ...guards(
    'doctor/login',
    [...BROKEN, 'doctor/hostile-providers', 'doctor/command'],
    [
      ['an address of a megabyte is searched', 'const MAX_CALLBACK_LENGTH = 4096', 'const MAX_CALLBACK_LENGTH = 1e6'],
      ['the token is printed', 'examination.hide(token);', ''],
      ['the key is printed', 'examination.hide(callback.authKey);', ''],
      ['a GET is sent without leave', '!(await this.input.driver.mayExchangeByGet())', 'false'],
      ['a GET is sent although a POST was answered', 'if (!mayNeedGet)', 'if (false)'],
      [
        'GET is the first',
        "requestExchange)(probe, this.baseURL, 'POST', form)",
        "requestExchange)(probe, this.baseURL, 'GET', form)",
      ],
      [
        'a key that was exchanged twice is good',
        "if ((0, response_1.tokenIn)(response) !== undefined)\n            examination.broken('Second use'",
        "if (false)\n            examination.broken('Second use'",
      ],
      [
        'a malformed key ends the doctor',
        'return decodeURIComponent(text);\n    }\n    catch {\n        return text;',
        'return decodeURIComponent(text);\n    }\n    catch (error) {\n        throw error;',
      ],
      ['anything is an address', '|| !URL.canParse(url)', ''],
    ],
  ),
  ...guards(
    'doctor/network',
    ['doctor/certificates', 'unit/client/http/tls-options', 'unit/client/http/connecting', 'doctor/broken-providers'],
    [
      ['a handshake has no time limit', "'secureConnect', { signal }", "'secureConnect'"],
      ['a certificate that is not accepted is good', 'authorized ? undefined', 'true ? undefined'],
      ['finite fields and handshakes without end', '...(0, tls_options_1.tlsOptions)(),', ''],
      ['all addresses of a name are tried', 'lookup: (0, address_1.oneLookupAtATime)(address_1.systemLookup),', ''],
      ['the connection stays open', "socket.on('error', () => { }).destroy();", ''],
    ],
  ),
  ...guards(
    'doctor/probe',
    [
      'doctor/certificates',
      'unit/client/http/tls-options',
      'unit/client/http/connecting',
      ...BROKEN,
      'doctor/hostile-providers',
    ],
    [
      ['a body is read to its end', 'return this.#isRead || this.#size < limits_1.MAX_BODY_BYTES', 'return true'],
      ['a request has no time limit', 'new deadline_1.Deadline(this.timeout)', 'new deadline_1.Deadline(2 ** 30)'],
      ['compression is accepted', "'accept-encoding': 'identity',", ''],
      [
        'a private address that the provider names is asked',
        'this.proxied || (0, option_values_1.isLoopback)(hostname) || (0, address_1.isPrivateHost)(hostname)',
        'false',
      ],
      ['a name that leads to a private address is asked', 'this.#open(false)', 'this.#open(true)'],
      [
        'pools have no limit',
        'const MAX_POOLS = 10',
        'const MAX_POOLS = 10_000',
        { equivalent: 'five redirects of the API and five of the login page lead to ten origins at most' },
      ],
      [
        'a probe is sent again',
        "idempotent: method === 'GET'",
        'idempotent: true',
        { equivalent: 'only sendRequest and the pipelining of undici read it, and a probe uses neither' },
      ],
      [
        'a defect is a finding',
        'if (error instanceof ProbeError)\n            return error;\n        throw error;',
        'return error;',
      ],
    ],
  ),
  ...guards(
    'doctor/report',
    [...BROKEN, 'doctor/hostile-providers', 'doctor/command'],
    [
      ["a ' in a path is code", "replace(/[\\\\']/g, '\\\\$&')", "replace(/[\\\\]/g, '\\\\$&')"],
      ['a backslash in a path is code', "replace(/[\\\\']/g, '\\\\$&')", "replace(/[']/g, '\\\\$&')"],
      ['escapes of terminals are printed', '(0, text_1.printable)(value).replace', 'value.replace'],
      ['options hold secrets', 'examination.isHarmless(JSON.stringify(value))', 'true'],
    ],
  ),
  ...guards(
    'doctor/response',
    [...BROKEN, 'doctor/hostile-providers'],
    [
      ['names of members may be secrets', 'PLAIN_NAME.test(name) && ', ''],
      ['names of members may hold a secret', '&& examination.isHarmless(name)', ''],
      ['a name may have 25 letters', '{1,24}', '{1,25}'],
      ['any scheme is a redirect', '/^https?:$/.test(url.protocol) ? url', 'true ? url'],
      ['any token is one', 'responses_1.ACCESS_TOKEN.test(token) ? token', 'true ? token'],
      ['a token of an error is one', '|| saysError(json))', ')'],
    ],
  ),
  ...guards(
    'doctor/person',
    [...BROKEN, 'doctor/hostile-providers'],
    [
      ['two people for one token are good', 'if (idOf(one) !== idOf(other))', 'if (false)'],
      ['an uploads folder holds escapes', '!/^https?:\\/\\/[!"$->@-~]+$/i.test(url)', 'false'],
      ['a secret is proposed as a folder', 'examination.isHarmless(uploadsURL);', 'uploadsURL !== undefined'],
    ],
  ),
  ...guards('doctor/profile', BROKEN, [
    ['a person for an invented token is good', '!holdsPerson(response.json ?? null)', 'true'],
    ['a person six levels down is looked for', 'holdsPerson(json, levels = 4)', 'holdsPerson(json, levels = 5)'],
  ]),
  ...guards(
    'doctor/screen',
    ['doctor/bounds', 'doctor/callback', 'doctor/command', 'doctor/hostile-providers'],
    [
      ['what is typed is kept', 'historySize: 0', 'historySize: 9'],
      ['the secret is shown as it is typed', 'if (!this.#isHidden)', 'if (true)'],
    ],
  ),
  ...guards(
    'doctor/text',
    [...BROKEN, 'doctor/hostile-providers', 'doctor/command'],
    [['escapes of terminals are printed', '/[^\\x20-\\x7e]/g', '/$^/g']],
  ),
]
