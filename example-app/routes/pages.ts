import { Router } from 'express'
import { SignedInAccount } from '../types'
import { GUARD, ICON, STYLE } from '../views/assets'
import { homePage } from '../views/home'
import { sendPage } from './answers'

/** What pages are made with: no session is read for these. */
export function assetRoutes(): Router {
  const router = Router()
  router.get('/style.css', (_req, res) => void res.type('css').set('Cache-Control', 'no-cache').send(STYLE))
  router.get('/guard.js', (_req, res) => void res.type('js').set('Cache-Control', 'no-cache').send(GUARD))
  router.get('/icon.svg', (_req, res) => void res.type('svg').set('Cache-Control', 'max-age=86400').send(ICON))
  return router
}

export function homeRoutes(): Router {
  const router = Router()
  router.get('/', (req, res) => {
    const [login] = req.user instanceof SignedInAccount ? req.user.logins : []
    sendPage(req, res, homePage(login))
  })
  return router
}
