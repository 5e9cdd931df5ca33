import { Outlet, Scripts } from 'react-router'

// biome-ignore lint/style/noDefaultExport: React Router wants one.
export default function Root() {
  return (
    <html lang="en">
      <head>
        <title>Home</title>
      </head>
      <body>
        <Outlet />
        <Scripts />
      </body>
    </html>
  )
}
