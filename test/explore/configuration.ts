import { MAX_AGE_MS, SILENT_APPROVAL_MS } from '../../lib/limits'

/** `own`: a store of the application whose `consume` tells which call was the first. */
export type StoreKind = 'session' | 'cookie' | 'own'

/** A bounded world. Each combination is explored on its own. */
export interface Configuration {
  readonly name: string
  readonly store: StoreKind
  readonly processes: 1 | 2
  readonly tabBinding: boolean
  /** What becomes of a start that no page of the application has caused. */
  readonly unverifiedStart: 'confirm' | 'allow'
  /** Logins that may wait for the provider at one time. */
  readonly maxConcurrentLogins: number
  /** Whether the browsers send Fetch Metadata. */
  readonly fetchMetadata: boolean
  /** Milliseconds by which the wall clock of the second process is ahead. */
  readonly skew: number
  /** The names of the tabs; the first word is the browser's. */
  readonly tabs: readonly string[]
  readonly providers: readonly ProviderName[]
  /** Whether a request waits before its session is read. Otherwise it is read as the request is sent. */
  readonly lateReads: boolean
  /** Whether the provider may answer in all ways, not only refuse or be lost. */
  readonly allAnswers: boolean
  /** Whether callbacks come with every kind of Referer, which matters as time passes; otherwise with the usual one. */
  readonly allReferers: boolean
  /** How much time may pass at once, in milliseconds. */
  readonly steps: Readonly<Record<string, number>>
  readonly bounds: Bounds
}

/** Milliseconds: to the last moment of a silent approval, beyond the deadline; to the last of a login; beyond either. */
const STEPS = { 'thirty seconds': SILENT_APPROVAL_MS, 'ten minutes': MAX_AGE_MS, 'a millisecond': 1 }

export type ProviderName = 'honest' | 'hostile'

/** How often each may happen on one path. */
export interface Bounds {
  readonly starts: number
  readonly plantedStarts: number
  readonly approvals: number
  readonly injections: number
  /** Reloads and double clicks. */
  readonly repeats: number
  /** Requests under way at one time. */
  readonly requests: number
  readonly waits: number
  readonly setBacks: number
  readonly restarts: number
  /** Logouts, and sign-ins by another way of the application. */
  readonly sessionChanges: number
  /** Lost exchanges, failed saves, refusals of the application. */
  readonly faults: number
}

const NONE: Bounds = {
  starts: 0,
  plantedStarts: 0,
  approvals: 0,
  injections: 0,
  repeats: 0,
  requests: 2,
  waits: 0,
  setBacks: 0,
  restarts: 0,
  sessionChanges: 0,
  faults: 0,
}

const BOTH_STORES: readonly StoreKind[] = ['session', 'cookie']

interface Scene extends Partial<Omit<Configuration, 'bounds'>> {
  readonly stores?: readonly StoreKind[]
  readonly bounds: Partial<Bounds>
}

/** What is explored: each scene has few kinds of events, so that all of its states can be reached. */
const SCENES: Readonly<Record<string, Scene>> = {
  login: {
    tabs: ['victim 1'],
    stores: ['session', 'cookie', 'own'],
    bounds: { starts: 1, approvals: 1, repeats: 1, faults: 1, waits: 1 },
  },
  answers: { tabs: ['victim 1'], allAnswers: true, bounds: { starts: 1, approvals: 1, faults: 1, requests: 1 } },
  planted: {
    tabs: ['victim 1'],
    bounds: { starts: 1, plantedStarts: 2, approvals: 1, injections: 1 },
  },
  overloaded: {
    tabs: ['victim 1', 'attacker 1'],
    maxConcurrentLogins: 1,
    bounds: { starts: 2, approvals: 2, repeats: 1, requests: 2 },
  },
  'two tabs': { bounds: { starts: 2, approvals: 2 } },
  attacker: { bounds: { starts: 1, approvals: 1, injections: 1, repeats: 1 } },
  time: { allReferers: true, bounds: { starts: 1, approvals: 1, injections: 1, waits: 2, requests: 1 } },
  typed: {
    tabs: ['victim 1'],
    unverifiedStart: 'allow',
    allReferers: true,
    bounds: { starts: 1, plantedStarts: 1, approvals: 1, injections: 1, requests: 1 },
  },
  'one after another': { tabs: ['victim 1'], stores: ['cookie'], bounds: { starts: 3, approvals: 3, requests: 1 } },
  // Two steps cross the lifetime of a used login.
  'after a lifetime': {
    tabs: ['victim 1'],
    stores: ['cookie'],
    steps: { 'ten minutes': MAX_AGE_MS },
    bounds: { starts: 2, approvals: 2, waits: 2, requests: 1 },
  },
  // Longer than any used login may be remembered.
  'after an hour': {
    tabs: ['victim 1'],
    stores: ['cookie'],
    steps: { 'an hour': 60 * 60 * 1000 },
    bounds: { starts: 2, approvals: 2, waits: 1, requests: 1 },
  },
  sessions: { bounds: { starts: 1, approvals: 1, repeats: 1, sessionChanges: 2 } },
  'two browsers': { tabs: ['victim 1', 'attacker 1'], bounds: { starts: 2, approvals: 2, injections: 1 } },
  providers: {
    tabs: ['victim 1'],
    providers: ['honest', 'hostile'],
    bounds: { starts: 2, approvals: 2, injections: 1, requests: 1 },
  },
  processes: {
    tabs: ['victim 1'],
    processes: 2,
    lateReads: true,
    stores: ['session', 'cookie', 'own'],
    bounds: { starts: 1, approvals: 1, repeats: 1, restarts: 1 },
  },
  'two processes, attacker': {
    processes: 2,
    lateReads: true,
    stores: ['session', 'cookie', 'own'],
    bounds: { starts: 1, approvals: 1, injections: 1 },
  },
  'clock ahead': {
    tabs: ['victim 1'],
    processes: 2,
    skew: 60_000,
    bounds: { starts: 1, approvals: 1, waits: 2, requests: 1 },
  },
  'clock too far ahead': {
    tabs: ['victim 1'],
    processes: 2,
    skew: 60_001,
    bounds: { starts: 1, approvals: 1, waits: 2, requests: 1 },
  },
  'clock set back': {
    tabs: ['victim 1', 'attacker 1'],
    bounds: { starts: 2, approvals: 2, repeats: 1, waits: 2, setBacks: 1 },
  },
  everything: {
    processes: 2,
    lateReads: true,
    tabs: ['victim 1', 'victim 2', 'attacker 1'],
    providers: ['honest', 'hostile'],
    allReferers: true,
    bounds: {
      starts: 2,
      plantedStarts: 1,
      approvals: 2,
      injections: 1,
      repeats: 1,
      requests: 3,
      waits: 2,
      restarts: 1,
      sessionChanges: 1,
      faults: 1,
    },
  },
}

/**
 * Every scene with its stores, with and without tab binding and Fetch Metadata: all scenes of one kind before those of
 * the next, so that a short time shows something of each, and last those that leave no time for others.
 */
export const CONFIGURATIONS: readonly Configuration[] = [true, false]
  .flatMap((fetchMetadata) => [false, true].flatMap((tabBinding) => worldsWith(tabBinding, fetchMetadata)))
  .sort((a, b) => Number(isDeep(a.name)) - Number(isDeep(b.name)))

function worldsWith(tabBinding: boolean, fetchMetadata: boolean): Configuration[] {
  return (['session', 'own', 'cookie'] as const).flatMap((store) =>
    Object.entries(SCENES).flatMap(([scene, { bounds, stores = BOTH_STORES, ...rest }]) => {
      if (!stores.includes(store)) return []
      const configuration: Configuration = {
        name: nameOf(scene, store, tabBinding, fetchMetadata),
        store,
        tabBinding,
        fetchMetadata,
        unverifiedStart: 'confirm',
        processes: 1,
        skew: 0,
        maxConcurrentLogins: 128,
        tabs: ['victim 1', 'victim 2'],
        providers: ['honest'],
        lateReads: false,
        allAnswers: false,
        allReferers: false,
        steps: STEPS,
        bounds: { ...NONE, ...bounds },
        ...rest,
      }
      return [configuration]
    }),
  )
}

function nameOf(scene: string, store: string, tabBinding: boolean, fetchMetadata: boolean): string {
  return [scene, store, ...(tabBinding ? ['tab binding'] : []), ...(fetchMetadata ? [] : ['no Fetch Metadata'])].join(
    ', ',
  )
}

export function configurationOf(name: string): Configuration {
  const configuration = CONFIGURATIONS.find((one) => one.name === name)
  if (!configuration) throw new Error(`there is no configuration ${name}`)
  return configuration
}

/** Whether nobody will see the end of this world. */
export function isDeep(name: string): boolean {
  return name.startsWith('everything')
}
