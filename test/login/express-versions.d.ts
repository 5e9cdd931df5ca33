declare module 'passport-0-6' {
  import passport = require('passport')
  export = passport
}

declare module 'express-4' {
  import express = require('express')
  export = express
}
