import assert from 'node:assert/strict'
import { context, SpanStatusCode, trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { createServer } from './app.cjs'
import { play } from './driver.cjs'

const exporter = new InMemorySpanExporter()
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
assert.equal(trace.getSpan(context.active()), undefined)

await play(createServer)

const spans = exporter.getFinishedSpans()
const verify = spans.find(({ name }) => name === 'social-login verify')
const callback = spans.find((span) => span.spanContext().spanId === verify.parentSpanContext.spanId)
assert.equal(callback.name, 'social-login callback')
const ofLogin = spans.filter(
  ({ attributes }) => attributes['social_login.login'] === verify.attributes['social_login.login'],
)
assert.deepEqual(ofLogin.map(({ name }) => name.slice('social-login '.length)).sort(), [
  'callback',
  'exchange',
  'profile',
  'start',
  'verify',
])
const errors = spans.filter(({ status }) => status.code === SpanStatusCode.ERROR)
assert.deepEqual(new Set(errors.map(({ status }) => status.message)), new Set(['provider_unavailable']))
assert.ok(spans.some(({ attributes }) => attributes['social_login.code'] === 'login_not_started'))
