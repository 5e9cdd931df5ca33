import { SocialLogin } from 'passport-social-login/web'

// docs/web.md#next, block 1
