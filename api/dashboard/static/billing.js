// Balance.
import { $, attempt } from "./common.js";
import { showBalance } from "./balance.js";

attempt($("main"), showBalance);
