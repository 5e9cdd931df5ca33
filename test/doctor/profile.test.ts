import type { RequestListener } from 'node:http'
import type { RecordedMode, SuggestedOptions } from '../../lib/doctor/examination'
import type { ProbeResponse } from '../../lib/doctor/probe'
import { checkProfileEndpoints } from '../../lib/doctor/profile'
import { findingsOf, newExamination, responseOf, sendJSON, useServers } from '../support/doctor'

// What the doctor makes of the answers of user/me and get_user_info to a token that nobody has.

const { serve } = useServers()

/** What the doctor tells, proposes and records. */
interface Told {
  readonly findings: string[]
  readonly options?: SuggestedOptions
  readonly mode: RecordedMode
}

async function check(userMe: Partial<ProbeResponse>, userInfo: RequestListener): Promise<Told> {
  const baseURL = new URL(await serve(userInfo))
  const progress: string[] = []
  const observer = { progress: (text: string) => void progress.push(text), finding: () => {} }
  const examination = newExamination(baseURL.origin, observer)
  await checkProfileEndpoints(baseURL, responseOf(userMe), examination)
  await examination.probe.close()
  expect(progress).toEqual(['Asking for a profile with an invented token'])
  return { findings: findingsOf(examination), options: examination.options, mode: examination.mode }
}

const text =
  (status: number, body: string): RequestListener =>
  (_request, response) =>
    void response.writeHead(status).end(body)
const json =
  (body: object, status = 200): RequestListener =>
  (_request, response) =>
    sendJSON(response, body, status)

const PAGE = '<!doctype html><h1>Hello</h1>'
const refusal = { error: true }
const form = { htmlContentType: false, sessionCookie: false, scriptWarnings: false }
const refused = { htmlAtStatus200: false, ...form, errorsAtStatus200: false }
const silent = { htmlAtStatus200: false }
const DOUBT = 'Logins may work: only one (--login) tells.'
const onlyInfo = (status: number): string =>
  `There is no user/me (status ${status}), but the legacy get_user_info: use profileEndpoint 'get_user_info'. The token is then part of a URL.`
const profileEndpoint = 'get_user_info'

test.each<[title: string, userMe: Partial<ProbeResponse>, userInfo: RequestListener, Told]>([
  [
    'both refuse',
    { status: 401, json: refusal },
    json(refusal, 401),
    {
      findings: ['good Profile: user/me refuses an invented token with status 401.'],
      mode: { ...refused, withoutUserMe: false },
    },
  ],
  [
    'both refuse with status 200',
    { json: refusal },
    json(refusal),
    {
      findings: ['good Profile: user/me refuses an invented token with status 200.'],
      mode: { ...refused, errorsAtStatus200: true, withoutUserMe: false },
    },
  ],
  [
    'the legacy endpoint does not answer at all',
    { status: 401, json: refusal },
    ({ socket }) => void socket.destroy(),
    {
      findings: [
        'differs get_user_info: The connection was closed before the response was complete.',
        'good Profile: user/me refuses an invented token with status 401. (The legacy endpoint get_user_info is not there, and not needed.)',
      ],
      mode: { ...refused, withoutUserMe: false },
    },
  ],
  [
    'the legacy endpoint is not there',
    { status: 401, json: refusal },
    text(404, ''),
    {
      findings: [
        'good Profile: user/me refuses an invented token with status 401. (The legacy endpoint get_user_info is not there, and not needed.)',
      ],
      mode: { ...refused, withoutUserMe: false },
    },
  ],
  [
    'the refusal of user/me cannot be read',
    { status: 401, json: refusal, text: 'Warning: old\n{"error":true}', hasWarnings: true },
    json(refusal, 401),
    {
      findings: [
        "broken Profile: The warnings of a script precede the JSON, so that no client can read it. The provider's operator must turn off display_errors.",
      ],
      mode: { ...refused, scriptWarnings: true, withoutUserMe: false },
    },
  ],
  [
    'user/me answers with JSON that is no refusal',
    { json: { status: 'failed' } },
    text(404, ''),
    {
      findings: [`differs Profile: user/me answers an invented token with an object of status (status 200). ${DOUBT}`],
      mode: { ...silent, withoutUserMe: false },
    },
  ],
  [
    'user/me is not there, and the legacy endpoint refuses',
    { status: 404 },
    json(refusal),
    {
      findings: [`differs Profile: ${onlyInfo(404)}`],
      options: { profileEndpoint },
      mode: { ...refused, errorsAtStatus200: true, withoutUserMe: true },
    },
  ],
  [
    'user/me answers with words, and the legacy endpoint refuses by JSON',
    { text: 'Hello' },
    json(refusal, 401),
    {
      findings: [`differs Profile: ${onlyInfo(200)}`],
      options: { profileEndpoint },
      mode: { ...refused, withoutUserMe: true },
    },
  ],
  [
    'user/me refuses without JSON, and the legacy endpoint by it',
    { status: 401 },
    json(refusal, 401),
    {
      findings: [`differs Profile: user/me answers an invented token with an empty body (status 401). ${DOUBT}`],
      mode: { ...refused, withoutUserMe: false },
    },
  ],
  [
    'user/me is not there, and the legacy endpoint answers with JSON that is no refusal',
    { status: 404 },
    json({ status: 'failed' }),
    {
      findings: [`differs Profile: ${onlyInfo(404)} ${DOUBT}`],
      options: { profileEndpoint },
      mode: { ...silent, withoutUserMe: true },
    },
  ],
  [
    'neither is there',
    { status: 404 },
    text(404, ''),
    { findings: ['broken Profile: Neither user/me (status 404) nor get_user_info answers as the API.'], mode: silent },
  ],
  [
    'both are a page',
    { text: PAGE },
    text(200, PAGE),
    {
      findings: ['broken Profile: Neither user/me (status 200) nor get_user_info answers as the API.'],
      mode: { htmlAtStatus200: true },
    },
  ],
  [
    'both are a page, with another status of success',
    { status: 201, text: PAGE },
    text(201, PAGE),
    { findings: ['broken Profile: Neither user/me (status 201) nor get_user_info answers as the API.'], mode: silent },
  ],
  [
    'user/me is a page, and nothing answers for the legacy endpoint',
    { text: PAGE },
    ({ socket }) => void socket.destroy(),
    {
      findings: [
        'differs get_user_info: The connection was closed before the response was complete.',
        'broken Profile: Neither user/me (status 200) nor get_user_info answers as the API.',
      ],
      mode: { htmlAtStatus200: true },
    },
  ],
  [
    'both hand out a person',
    { json: { user_id: '1' } },
    json({ data: { user_id: '1' } }),
    {
      findings: ['user/me', 'get_user_info'].map(
        (endpoint) =>
          `broken Profile: ${endpoint} hands out a person for an invented token: whoever asks gets one. It is unsafe.`,
      ),
      mode: silent,
    },
  ],
  [
    'what refuses holds a person',
    { status: 401, json: { ...refusal, user_id: '1' } },
    json({ ...refusal, user_id: '1' }, 401),
    {
      findings: ['good Profile: user/me refuses an invented token with status 401.'],
      mode: { ...refused, withoutUserMe: false },
    },
  ],
])('%s', async (_title, userMe, userInfo, { findings, options = {}, mode }) => {
  expect(await check(userMe, userInfo)).toEqual({ findings, options, mode })
})
