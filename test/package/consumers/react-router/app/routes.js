import { index, route } from '@react-router/dev/routes'

// biome-ignore lint/style/noDefaultExport: React Router wants one.
export default [
  index('routes/home.jsx'),
  route('auth', 'routes/auth.js'),
  route('callback', 'routes/callback.js'),
  route('me', 'routes/me.js'),
]
