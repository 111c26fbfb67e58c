// The form of a new account works like that of signing in.
import "./sign_in.js";
