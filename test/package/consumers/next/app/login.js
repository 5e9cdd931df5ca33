import { SocialLogin } from 'passport-social-login/web'

// docs/guides/request-response.md#next, block 1
