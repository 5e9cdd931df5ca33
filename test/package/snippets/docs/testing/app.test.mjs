// docs/guides/testing.md#a-first-test, block 1

const { mock } = await import('node:test')
const { providerNavigation, sameOriginNavigation } = await import('passport-social-login/testing')

test('The provider is down', async () => {
  // docs/guides/testing.md#the-provider-is-down, block 1
})

test('The connection to the provider is lost', async () => {
  // docs/guides/testing.md#the-connection-to-the-provider-is-lost, block 1
})

test('The provider is slow', async () => {
  // docs/guides/testing.md#the-provider-is-slow, block 1
})

test('The provider limits your requests', async () => {
  // docs/guides/testing.md#the-provider-limits-your-requests, block 1
})

test('The provider answers with a page', async () => {
  // docs/guides/testing.md#the-provider-answers-with-a-page, block 1
})

test('The provider has quirks', async () => {
  // docs/guides/testing.md#the-provider-has-quirks, block 1
})

test('Your secret is wrong', async () => {
  // docs/guides/testing.md#your-secret-is-wrong, block 1
})

test('A user has no e-mail address', async () => {
  // docs/guides/testing.md#a-user-has-no-e-mail-address, block 1
})

test('Your verify function refuses a user', async () => {
  // docs/guides/testing.md#your-verify-function-refuses-a-user, block 1
})

test('What the user sees', async () => {
  // docs/guides/testing.md#what-the-user-sees, block 1
})

test('An attacker sends a link with a key', async () => {
  // docs/guides/testing.md#an-attacker-sends-a-link-with-a-key, block 1
})

test('Linking an account', async () => {
  // docs/guides/testing.md#linking-an-account, block 1
})

test('A login takes too long', async () => {
  // docs/guides/testing.md#a-login-takes-too-long, block 1
})
