export { SocialLogin } from 'passport-social-login/web'
