import { examine } from '../../lib/doctor/doctor'
import type { Examination } from '../../lib/doctor/examination'
import type { Application, FakeProvider } from '../../lib/testing'
import { post, signInAs } from './provider-http'

/** What an examination in this process may be given. */
export interface DoctorOptions {
  readonly userID?: string
  readonly spendTwice?: boolean
  readonly allowGet?: boolean
}

/** Examines a fake provider, with two logins of one person, who approves them. */
export async function examineProvider(
  provider: FakeProvider,
  application: Application,
  { userID = '1', spendTwice = false, allowGet = true }: DoctorOptions = {},
): Promise<Examination> {
  const driver = {
    logIn: () => approve(provider, application, userID),
    mayExchangeByGet: async () => allowGet,
  }
  return examine(
    {
      baseURL: new URL(provider.baseURL),
      appID: application.appID,
      redirectURL: application.redirectURL,
      login: { input: { appID: application.appID, appSecret: application.appSecret, spendTwice }, driver },
      userAgent: 'doctor of a test',
      timeout: 5000,
      hasProxy: false,
    },
    { progress: () => {}, finding: () => {} },
  )
}

/** Signs in at the provider and approves the application. @returns where the browser is sent */
export async function approve(provider: FakeProvider, { appID }: Application, userID: string): Promise<string> {
  const cookie = await signInAs(provider, userID)
  const { headers } = await post(`${provider.origin}/approval`, { app_id: appID, decision: 'approve' }, { cookie })
  return headers.get('location') ?? ''
}
