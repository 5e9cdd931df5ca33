import { USER_AGENT } from '../../lib/client/options'
import { type DoctorInput, examine } from '../../lib/doctor/doctor'
import type { Examination } from '../../lib/doctor/examination'
import { optionLines } from '../../lib/doctor/report'
import type { Application, FakeProvider } from '../../lib/testing'
import { post, signInAs } from './provider-http'

/** What an examination in this process may be given. */
export interface DoctorOptions {
  readonly userID?: string
  readonly spendTwice?: boolean
  readonly allowGet?: boolean
  /** Default: the provider's own. */
  readonly baseURL?: string
  readonly userAgent?: string
}

const SILENT = { progress: () => {}, finding: () => {} }

/** Examines a fake provider, with a login of a person, who approves it. */
export async function examineProvider(
  provider: FakeProvider,
  application: Application,
  {
    userID = '1',
    spendTwice = false,
    allowGet = true,
    baseURL = provider.baseURL,
    userAgent = 'doctor of a test',
  }: DoctorOptions = {},
): Promise<Examination> {
  const driver = {
    logIn: () => approve(provider, application, userID),
    mayExchangeByGet: async () => allowGet,
  }
  return examine(
    {
      baseURL: new URL(baseURL),
      appID: application.appID,
      redirectURL: application.redirectURL,
      login: { appID: application.appID, appSecret: application.appSecret, spendTwice, driver },
      userAgent,
      timeout: 5000,
      hasProxy: false,
    },
    SILENT,
  )
}

/** How an examination without a login ended. */
export interface Diagnosis {
  readonly isBroken: boolean
  /** One line for each finding, and the options to paste. */
  readonly report: string
}

/** Examines a provider in this process, without a login, unless one is given. */
export async function diagnose(
  baseURL: string,
  more: Partial<Pick<DoctorInput, 'appID' | 'timeout' | 'hasProxy' | 'login'>> = {},
): Promise<Diagnosis> {
  const input = { baseURL: new URL(baseURL), userAgent: USER_AGENT, timeout: 10_000, hasProxy: false, ...more }
  const examination = await examine(input, SILENT)
  const findings = examination.findings.map(({ level, check, message }) => `${level} ${check}: ${message}`)
  const options = examination.options.baseURL === undefined ? [] : [optionLines(examination)]
  return { isBroken: examination.isBroken, report: [...findings, ...options].join('\n') }
}

/** Signs in at the provider and approves the application. @returns where the browser is sent */
export async function approve(provider: FakeProvider, { appID }: Application, userID: string): Promise<string> {
  const cookie = await signInAs(provider, userID)
  const { headers } = await post(`${provider.origin}/approval`, { app_id: appID, decision: 'approve' }, { cookie })
  return headers.get('location') ?? ''
}
