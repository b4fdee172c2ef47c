import { cookies, headers } from "next/headers";
import { redirect } from "next/navigation";
import { forbidden } from "next/navigation";
