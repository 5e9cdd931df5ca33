const BROWSER = 'Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n'
const CALLBACK = 'GET /auth/social-login/callback?auth_key={{key}} HTTP/1.1\r\nHost: localhost:{{port}}\r\n'
const HOST = 'HTTP/1.1\r\nHost: localhost:{{port}}\r\n'

/** Requests that once broke the example or are likely to; sent before random ones. Placeholders as in `values.ts`. */
export const CURATED: ReadonlyArray<readonly [name: string, request: string]> = [
  [
    'a session cookie that cookie-parser makes an object of',
    `GET /login ${HOST}Cookie: example-session=j:{"a":1}\r\n\r\n`,
  ],
  ['a session cookie that is a JSON array', `GET /login ${HOST}Cookie: example-session=j:[1]\r\n\r\n`],
  ['a session cookie that is JSON in percent-encoding', `GET / ${HOST}Cookie: example-session=j%3A%7B%7D\r\n\r\n`],
  ['a known-logins cookie that is an object', `GET /login ${HOST}Cookie: example-known-logins=j:{"split":1}\r\n\r\n`],
  ['an address with a port before the callback', `${CALLBACK}X-Forwarded-For: 1.2.3.4:5678\r\n\r\n`],
  ['an address that is unknown before the callback', `${CALLBACK}X-Forwarded-For: unknown\r\n\r\n`],
  ['an address that is empty before the callback', `${CALLBACK}X-Forwarded-For: ,\r\n\r\n`],
  [
    'an address with a port before the start',
    `POST /auth/social-login ${HOST}${BROWSER}X-Forwarded-For: 1.2.3.4:5\r\nContent-Length: 0\r\n\r\n`,
  ],
  ['a path that a fragment makes a host', `GET //a^#@b ${HOST}\r\n`],
  ['a path that a no-break space makes a host', `GET //a^\u00a0@b ${HOST}\r\n`],
  ['POST *', `POST * ${HOST}Content-Length: 0\r\n\r\n`],
  ['OPTIONS *', `OPTIONS * ${HOST}\r\n`],
  ['GET *', `GET * ${HOST}\r\n`],
  ['a target in absolute form', `GET http://evil.example/login ${HOST}\r\n`],
  ['a target whose host is no name', `GET http://%E4%B8%80.example/login ${HOST}\r\n`],
  ['a target whose host is a zero byte', `GET http://%00/login ${HOST}\r\n`],
  // Node emits a warning for these that contains the whole target.
  ['a key in a target whose host is no address', `GET http://[::1/login?auth_key={{key}} ${HOST}\r\n`],
  ['a key in a target whose port is none', `GET http://localhost:99999/login?auth_key={{key}} ${HOST}\r\n`],
  ['a target that is no URL', `GET http://[::1/login ${HOST}\r\n`],
  ['a path with a broken escape', `GET /login/%zz ${HOST}\r\n`],
  ['a session id that is signed wrong', `GET /profile ${HOST}Cookie: example-session=s%3Ax.${'A'.repeat(43)}\r\n\r\n`],
  [
    'a form in an unknown charset',
    `POST /login/confirm ${HOST}${BROWSER}Content-Type: application/x-www-form-urlencoded; charset=utf-7\r\nContent-Length: 1\r\n\r\na`,
  ],
  [
    'a form in an unknown encoding',
    `POST /login/confirm ${HOST}${BROWSER}Content-Type: application/x-www-form-urlencoded\r\nContent-Encoding: x\r\nContent-Length: 1\r\n\r\na`,
  ],
  [
    'a form that is no gzip',
    `POST /login/confirm ${HOST}${BROWSER}Content-Type: application/x-www-form-urlencoded\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\na`,
  ],
  [
    'a form with too many fields',
    `POST /login/confirm ${HOST}${BROWSER}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 4000\r\n\r\n${'a=b&'.repeat(1000)}`,
  ],
  [
    'a form beyond the limit',
    `POST /login/confirm ${HOST}${BROWSER}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 20000\r\n\r\n${'x'.repeat(20_000)}`,
  ],
  ['two keys', `${CALLBACK.replace('{{key}}', '{{key}}&auth_key={{key}}')}Cookie: {{pending}}\r\n\r\n`],
  ['a key of 5,000 characters', `${CALLBACK.replace('{{key}}', 'x'.repeat(5000))}Cookie: {{pending}}\r\n\r\n`],
]
