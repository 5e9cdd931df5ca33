import { Link } from 'react-router'

// biome-ignore lint/style/noDefaultExport: React Router wants one.
export default function Home() {
  return (
    <Link to="/auth" reloadDocument>
      Sign in
    </Link>
  )
}
