/* The protocol of one key: clients, two engines, the database's row, one provider, people. See README.md.
   A provider's class is told by INQ, FINAL, IDEM and IGNORES_SEND_BEFORE; every other flag breaks one rule (check.sh). */

#ifndef MAX_SENDS
#define MAX_SENDS 2
#endif
#if defined(INQ)
#define CAN_INQUIRE true
#else
#define CAN_INQUIRE false
#endif
#if defined(IDEM)
#define CAN_RESEND true
#else
#define CAN_RESEND false
#endif
#if defined(FINAL)
#define NOT_FOUND_IS_FINAL true
#else
#define NOT_FOUND_IS_FINAL false
#endif
#if defined(IGNORES_SEND_BEFORE)
#define HONOURS false
#else
#define HONOURS true
#endif

/* Trouble is free where safety is searched, since it adds no state. Where an end is to be reached it must stop. */
#if defined(LIVE)
byte faults = LIVE;
byte crashes = CRASHES;
#define MAY_FAIL (faults > 0)
#define FAULT faults = faults - 1
#define MAY_CRASH (crashes > 0)
#define CRASH crashes = crashes - 1
#else
#define MAY_FAIL true
#define FAULT skip
#define MAY_CRASH true
#define CRASH skip
#endif

/* ---- the database: one idempotency_record, its payment, reservation and attempts ---- */

#define ABSENT 0
#define PROCESSING 1
#define UNKNOWN 2
#define COMPLETED 3
#define FAILED 4
byte status;
bit payload;      /* whose request the key belongs to */
bit accepted;     /* the payment and its reservation exist */
bit dropped;      /* a claim was taken back once */
byte reservation;
#define ACTIVE 1
#define FINALIZED 2
#define RELEASED 3
bit held;         /* lease_holder is not null */
bit due;          /* locked_until has passed */
bit current[2];   /* the epoch that the engine remembers is the row's: epochs never come back, so this is all of them */
byte sent;        /* attempts whose state is not not_sent; they are numbered from 1 */
byte openAttempt;
bit openIsCurrent; /* it was opened under the row's epoch */
bit sendOver[MAX_SENDS + 1]; /* its send_before has passed */
bit graceOver;    /* … and the provider's time-out and grace after the last of them */
bit windowOver;   /* the provider may have forgotten the key */
bit deadlineOver; /* the send deadline */
bit lateCase;     /* people were told of a charge of a payment that has failed */

#define LIVING (status == PROCESSING || status == UNKNOWN)
#define ENDED (status == COMPLETED || status == FAILED)

/* ---- the provider ---- */

#define NOTHING 0   /* not written, or nobody will ever read on */
#define WRITTEN 1   /* the request is at the provider or on its way */
#define CAPTURED 2  /* this answer is on its way back */
#define DECLINED 3
#define REFUSED 4   /* a listed 4xx: nothing was booked */
#define NO_PROOF 5  /* 5xx, a redirect, unreadable, or a 4xx that proves nothing */
#define SILENT 6    /* dropped: no answer will come */
byte wire[MAX_SENDS + 1];
#if defined(IGNORES_SEND_BEFORE)
bit late[MAX_SENDS + 1]; /* its first byte came after its send_before */
#define IN_TIME(i) (!late[i])
#else
#define IN_TIME(i) true
#endif
byte charges;
byte verdict; /* of the operation: NOTHING, CAPTURED or DECLINED */
bit visible;  /* an inquiry finds it */

/* ---- what clients were told ---- */
bit told201, told402;

/* ---- an engine's memory ---- */

#define IDLE 0
#define ACCEPT 1
#define OPEN 2   /* has a slot and a connection */
#define CHECK 3  /* the attempt is committed; the clock is not yet looked at */
#define WRITE 4  /* looked at; the first byte has not gone */
#define WAIT 5
#define FINISH 6
#define ASK 7
byte step[2];
byte attempt[2];
byte proof[2];
#define IS_CAPTURED 1
#define IS_DECLINED 2
#define IS_REFUSED 3
#define IS_UNKNOWN 4
#define IS_NOT_SENT 5
#define IS_EXPIRED 6
#define IS_NOT_FOUND 7
#define IS_LEFT 8
bit sendIfNotFound[2];
bit askedLate[2]; /* the grace was over when it asked */

inline forget(e) { step[e] = IDLE; attempt[e] = 0; proof[e] = 0; sendIfNotFound[e] = 0; askedLate[e] = 0; current[e] = 0 }
inline toFinish(e, what) { step[e] = FINISH; proof[e] = what }
inline raiseEpoch() { current[0] = 0; current[1] = 0; openIsCurrent = 0 }

#if MAX_SENDS == 1
#define ALL_SEND_OVER (sent < 1 || sendOver[1])
#define IN_FLIGHT (wire[1] == WRITTEN && IN_TIME(1))
#elif MAX_SENDS == 2
#define ALL_SEND_OVER ((sent < 1 || sendOver[1]) && (sent < 2 || sendOver[2]))
#define IN_FLIGHT ((wire[1] == WRITTEN && IN_TIME(1)) || (wire[2] == WRITTEN && IN_TIME(2)))
#else
#define ALL_SEND_OVER ((sent < 1 || sendOver[1]) && (sent < 2 || sendOver[2]) && (sent < 3 || sendOver[3]))
#define IN_FLIGHT ((wire[1] == WRITTEN && IN_TIME(1)) || (wire[2] == WRITTEN && IN_TIME(2)) || (wire[3] == WRITTEN && IN_TIME(3)))
#endif
#define SENDER_IS_ALLOWED(e) ((step[e] == CHECK || step[e] == WRITE) && attempt[e] > 0 && !sendOver[attempt[e]])
#define MAY_BE_BOOKED(n) (wire[n] == WRITTEN && !sendOver[n])
#if MAX_SENDS == 1
#define ANY_MAY_BE_BOOKED MAY_BE_BOOKED(1)
#elif MAX_SENDS == 2
#define ANY_MAY_BE_BOOKED (MAY_BE_BOOKED(1) || MAY_BE_BOOKED(2))
#else
#define ANY_MAY_BE_BOOKED (MAY_BE_BOOKED(1) || MAY_BE_BOOKED(2) || MAY_BE_BOOKED(3))
#endif
#define NO_CHARGE_CAN_COME (verdict == DECLINED || (!ANY_MAY_BE_BOOKED && !SENDER_IS_ALLOWED(0) && !SENDER_IS_ALLOWED(1)))
/* What the grace stands for: a request that came in time is booked or never will be, and an inquiry sees it. */
#define PROVIDER_IS_SETTLED (!IN_FLIGHT && (verdict == NOTHING || visible))

/* ---- the ends of a payment, and the laws that hold there ---- */

inline endCompleted() {
  assert(LIVING);               /* a final state never changes */
  assert(accepted && reservation == ACTIVE);
  assert(charges == 1);         /* never Completed without a charge */
  status = COMPLETED; reservation = FINALIZED; held = 0; due = 0; raiseEpoch()
}
inline endFailed() {
  assert(LIVING);
  assert(accepted && reservation == ACTIVE);
#if !defined(LATE_TRUTH)
  assert(charges == 0);         /* never Failed while a charge exists … */
  assert(NO_CHARGE_CAN_COME);   /* … and never without proof */
#endif
  status = FAILED; reservation = RELEASED; held = 0; due = 0; raiseEpoch()
}
inline tell() { /* the answer is made of what the row says */
  if
  :: status == COMPLETED -> assert(!told402); told201 = 1
  :: status == FAILED -> assert(!told201); told402 = 1
  :: else
  fi
}

/* ---- the statements: accept, open_attempts, finish, take_over ---- */

/* After a statement the answer may be lost: then the lane does it again. */
#define IN_DOUBT MAY_FAIL -> FAULT

inline acceptClaim(e) {
  if
  :: current[e] && status == PROCESSING && !accepted ->
     if
     :: accepted = 1; reservation = ACTIVE
     :: status = FAILED; held = 0; due = 0; raiseEpoch(); tell() /* not enough money: its own end, before any attempt */
     :: !dropped -> dropped = 1; status = ABSENT; held = 0; due = 0; raiseEpoch() /* the invoice is another key's */
     fi
  :: else
  fi;
  if
  :: IN_DOUBT
  :: current[e] && status == PROCESSING && accepted -> step[e] = OPEN
  :: !(current[e] && status == PROCESSING && accepted) -> forget(e) /* lost, declined or dropped */
  fi
}

inline openAttempts(e) {
#if defined(NO_ATTEMPT)
  if
  :: current[e] && LIVING -> attempt[e] = 1 + e; step[e] = CHECK
  :: else -> forget(e)
  fi
#else
  if
  :: current[e] && LIVING && openAttempt == 0 && (deadlineOver || (CAN_RESEND && sent > 0 && windowOver)) ->
     toFinish(e, IS_EXPIRED)
  :: current[e] && LIVING && openAttempt == 0 && !(deadlineOver || (CAN_RESEND && sent > 0 && windowOver)) ->
#if !defined(RESEND_AFTER_NOT_FOUND_EARLY) && !defined(RESENDS_TO_A_STRANGER)
     assert(sent == 0 || CAN_RESEND); /* what cannot recognise a charge never gets it twice */
#endif
     sent++;
     openAttempt = sent; openIsCurrent = 1; sendOver[sent] = 0; graceOver = 0; due = 0;
     if
     :: IN_DOUBT
     :: attempt[e] = openAttempt; step[e] = CHECK
     fi
  :: current[e] && LIVING && openAttempt > 0 && openIsCurrent -> attempt[e] = openAttempt; step[e] = CHECK
  :: else -> forget(e)
  fi
#endif
}

#if defined(NOT_FOUND_TIMED_AT_BOOKING)
#define NOT_FOUND_COUNTS(e) graceOver
#elif defined(NOT_FOUND_BELIEVED_EARLY)
#define NOT_FOUND_COUNTS(e) true
#else
#define NOT_FOUND_COUNTS(e) (askedLate[e] && graceOver)
#endif
#if defined(NO_FENCE)
#define FENCED(e) true
#elif defined(LATE_PROOF_WAITS)
#define FENCED(e) (current[e] || ((proof[e] == IS_CAPTURED || proof[e] == IS_DECLINED) && status == UNKNOWN && !held))
#else
#define FENCED(e) (current[e] || proof[e] == IS_CAPTURED || proof[e] == IS_DECLINED)
#endif

inline finish(e) {
  if
  :: LIVING && FENCED(e) ->
     if
     :: attempt[e] > 0 && openAttempt == attempt[e] ->
        openAttempt = 0; openIsCurrent = 0;
        if
        :: proof[e] == IS_NOT_SENT -> sent--; sendOver[attempt[e]] = 0
        :: else
        fi
     :: else
     fi;
     if
     :: proof[e] == IS_CAPTURED -> endCompleted()
     :: proof[e] == IS_DECLINED || proof[e] == IS_REFUSED -> endFailed()
     :: proof[e] == IS_EXPIRED && deadlineOver && sent == 0 -> endFailed()
     :: proof[e] == IS_NOT_FOUND && NOT_FOUND_IS_FINAL && NOT_FOUND_COUNTS(e) -> endFailed()
     :: else ->
        if
        :: status == PROCESSING && (proof[e] == IS_UNKNOWN || proof[e] == IS_NOT_FOUND) -> status = UNKNOWN
        :: else
        fi;
        if
        :: status == UNKNOWN -> held = 0; due = 0; raiseEpoch()
        :: else
        fi
     fi
  :: else -> /* too late: a contradiction is told, and the holder is to ask at once */
     if
     :: status == FAILED && proof[e] == IS_CAPTURED ->
        lateCase = 1;
#if defined(LATE_TRUTH_REVIVES)
        endCompleted()
#endif
     :: status == UNKNOWN && !held -> due = 1
     :: else
     fi
  fi;
  if
  :: IN_DOUBT
  :: status == PROCESSING && current[e] -> /* not sent: tried again, ended by the deadline, or left to the next takeover */
     attempt[e] = 0;
     if
     :: step[e] = OPEN; proof[e] = 0
     :: proof[e] != IS_EXPIRED -> toFinish(e, IS_EXPIRED)
     :: forget(e)
     fi
  :: !(status == PROCESSING && current[e]) -> tell(); forget(e)
  fi
}

inline takeOver(e) {
  assert(!SENDER_IS_ALLOWED(1 - e)); /* whoever takes over finds nobody who may still send */
  raiseEpoch(); current[e] = 1; held = 1; due = 0;
  if
  :: !accepted -> step[e] = ACCEPT
  :: accepted && openAttempt > 0 -> attempt[e] = openAttempt; toFinish(e, IS_UNKNOWN)
  :: accepted && openAttempt == 0 && status == PROCESSING && sent == 0 -> step[e] = OPEN
  :: accepted && openAttempt == 0 && status == PROCESSING && sent > 0 -> toFinish(e, IS_UNKNOWN)
  :: accepted && openAttempt == 0 && status == UNKNOWN ->
     if
     :: CAN_INQUIRE -> step[e] = ASK; sendIfNotFound[e] = (CAN_RESEND && !windowOver && sent < MAX_SENDS)
     :: !CAN_INQUIRE && CAN_RESEND && !windowOver && sent < MAX_SENDS -> step[e] = OPEN
#if defined(RESENDS_TO_A_STRANGER)
     :: sent < MAX_SENDS -> step[e] = OPEN
#endif
     :: else -> toFinish(e, IS_LEFT)
     fi
  fi
}

#if defined(NOT_FOUND_IGNORED_PAST_DEADLINE)
#define MAY_SEND_AGAIN(e) sendIfNotFound[e]
#else
#define MAY_SEND_AGAIN(e) (sendIfNotFound[e] && !deadlineOver)
#endif
/* One inquiry: the clock is read before it is asked. */
inline ask(e) {
  askedLate[e] = graceOver;
  if
  :: verdict != NOTHING && visible ->
     if
     :: verdict == CAPTURED -> toFinish(e, IS_CAPTURED)
     :: else -> toFinish(e, IS_DECLINED)
     fi
  :: verdict == NOTHING || !visible ->
     if
#if defined(RESEND_AFTER_NOT_FOUND_EARLY)
     :: sent < MAX_SENDS -> step[e] = OPEN
#endif
     :: MAY_SEND_AGAIN(e) -> step[e] = OPEN
     :: !MAY_SEND_AGAIN(e) -> toFinish(e, IS_NOT_FOUND)
     fi
  :: MAY_FAIL -> FAULT; toFinish(e, IS_UNKNOWN) /* no answer, or one that proves nothing */
  fi
}

proctype Engine(bit e) {
  do
  :: atomic { step[e] == IDLE && LIVING && due -> takeOver(e) }
  :: atomic { step[e] == ACCEPT -> acceptClaim(e) }
  :: atomic { step[e] == OPEN -> openAttempts(e) }
  :: atomic { step[e] == OPEN && MAY_FAIL -> FAULT; /* no connection was had */
       if
       :: toFinish(e, IS_EXPIRED)
       :: forget(e)
       fi }
  :: atomic { step[e] == CHECK ->
       if
       :: sendOver[attempt[e]] -> toFinish(e, IS_NOT_SENT)
       :: !sendOver[attempt[e]] -> step[e] = WRITE
       :: MAY_FAIL -> FAULT; toFinish(e, IS_NOT_SENT) /* the connection broke before the first byte */
       fi }
  :: atomic { step[e] == WRITE ->
       wire[attempt[e]] = WRITTEN;
#if defined(IGNORES_SEND_BEFORE)
       late[attempt[e]] = sendOver[attempt[e]];
#endif
       step[e] = WAIT }
  :: atomic { step[e] == WAIT && wire[attempt[e]] > WRITTEN ->
       if
       :: wire[attempt[e]] == CAPTURED -> toFinish(e, IS_CAPTURED)
       :: wire[attempt[e]] == DECLINED -> toFinish(e, IS_DECLINED)
       :: wire[attempt[e]] == REFUSED && attempt[e] == 1 -> toFinish(e, IS_REFUSED)
       :: else -> toFinish(e, IS_UNKNOWN)
       fi;
       wire[attempt[e]] = NOTHING }
  :: atomic { step[e] == WAIT && MAY_FAIL -> FAULT; toFinish(e, IS_UNKNOWN); /* a time-out; the request may still be there */
       if
       :: wire[attempt[e]] > WRITTEN -> wire[attempt[e]] = NOTHING
       :: else
       fi }
  :: atomic { step[e] == ASK -> ask(e) }
  :: atomic { step[e] == FINISH -> finish(e) }
  :: atomic { step[e] != IDLE && current[e] && LIVING && due -> due = 0 } /* renewed late: nobody had taken it */
  :: atomic { step[e] != IDLE && MAY_CRASH -> CRASH; /* and started again */
       if
       :: step[e] == WAIT && wire[attempt[e]] > WRITTEN -> wire[attempt[e]] = NOTHING
       :: else
       fi;
       forget(e) }
#if defined(RELEASE_OPEN_ATTEMPT)
  :: atomic { (step[e] == CHECK || step[e] == WRITE || step[e] == WAIT) && current[e] && LIVING -> held = 0; due = 1 }
#endif
  od
}

/* An answer reaches only who still waits for it. */
inline answer(n, what) {
  if
  :: (step[0] == WAIT && attempt[0] == n) || (step[1] == WAIT && attempt[1] == n) ->
     if
     :: wire[n] = what
     :: MAY_FAIL -> FAULT; wire[n] = SILENT
     fi
  :: else -> wire[n] = NOTHING
  fi
}

inline book(n) {
  if
  :: CAN_RESEND && verdict != NOTHING -> answer(n, verdict)          /* it knows the key */
  :: !(CAN_RESEND && verdict != NOTHING && !windowOver) ->            /* it never did, or has forgotten it */
     if
     :: HONOURS && sendOver[n] -> answer(n, NO_PROOF)
     :: !(HONOURS && sendOver[n]) ->
        if
        :: charges++;
           assert(charges <= 1);                                      /* never twice */
#if !defined(LATE_TRUTH)
           assert(status != FAILED);                                  /* never Failed while a charge exists */
#endif
           verdict = CAPTURED; visible = 0;
           if
           :: answer(n, CAPTURED)
           :: MAY_FAIL -> FAULT; answer(n, NO_PROOF)
           fi
        :: verdict == NOTHING -> verdict = DECLINED; visible = 0; answer(n, DECLINED)
        :: MAY_FAIL -> FAULT; answer(n, REFUSED)
        :: MAY_FAIL -> FAULT; answer(n, NO_PROOF)
        :: MAY_FAIL -> FAULT; answer(n, SILENT)                       /* lost on its way */
        fi
     fi
  fi
}

proctype Provider() {
  do
  :: atomic { wire[1] == WRITTEN -> book(1) }
#if MAX_SENDS > 1
  :: atomic { wire[2] == WRITTEN -> book(2) }
#endif
#if MAX_SENDS > 2
  :: atomic { wire[3] == WRITTEN -> book(3) }
#endif
#if defined(INQ)
  :: atomic { verdict != NOTHING && !visible -> visible = 1 }
#endif
  od
}

/* Instants that lie in a fixed order: a send_before is before its lease's end, the key window's and the deadline. */
#define A_SENDER_IS_ALLOWED (SENDER_IS_ALLOWED(0) || SENDER_IS_ALLOWED(1))
inline passSendBefore(n) {
  if
  :: A_SENDER_IS_ALLOWED -> MAY_FAIL -> FAULT /* slower than its lease */
  :: else
  fi;
  sendOver[n] = 1
}
proctype Clock() {
  do
  :: atomic { sent >= 1 && !sendOver[1] && (MAY_FAIL || !A_SENDER_IS_ALLOWED) -> passSendBefore(1) }
#if MAX_SENDS > 1
  :: atomic { sent >= 2 && !sendOver[2] && (MAY_FAIL || !A_SENDER_IS_ALLOWED) -> passSendBefore(2) }
#endif
#if MAX_SENDS > 2
  :: atomic { sent >= 3 && !sendOver[3] && (MAY_FAIL || !A_SENDER_IS_ALLOWED) -> passSendBefore(3) }
#endif
  :: atomic { sent > 0 && !graceOver && ALL_SEND_OVER && PROVIDER_IS_SETTLED -> graceOver = 1 }
#if defined(IDEM) && !defined(WINDOW_NEVER_ENDS)
  :: atomic { sent > 0 && !windowOver && ALL_SEND_OVER -> windowOver = 1 }
#endif
  :: atomic { accepted && LIVING && !deadlineOver && ALL_SEND_OVER -> deadlineOver = 1 }
#if defined(UNKNOWN_TIMES_OUT)
  :: atomic { status == UNKNOWN && !held -> endFailed() }
#endif
  od
}

/* The lease ends at any moment, wherever its holder stands; of what is given back, the pause. */
#define HOLDER_IS_AT_WORK (held && (current[0] || current[1]))
proctype Lease() {
  do
  :: atomic { LIVING && !due && (MAY_FAIL || !HOLDER_IS_AT_WORK) ->
       if
       :: HOLDER_IS_AT_WORK -> FAULT
       :: else
       fi;
       due = 1;
       if
       :: openAttempt > 0 && openIsCurrent -> sendOver[openAttempt] = 1
       :: else
       fi }
  od
}

/* Clients send the key again and again, one of them with another payload, to either engine. What a client is told while
   the payment lives (202, 409, 422, 503) binds nobody and changes nothing. */
inline claim(e) {
  status = PROCESSING; held = 1; due = 0; current[e] = 1; step[e] = ACCEPT;
#if defined(OTHER_PAYLOAD)
  if
  :: payload = 0
  :: payload = 1
  fi
#endif
}
inline replay(sentPayload) {
  if
#if !defined(NO_HASH)
  :: sentPayload != payload /* 422: tells nothing of the other's payment */
#endif
  :: else -> assert(sentPayload == payload); tell()
  fi
}
proctype Clients() {
  do
  :: atomic { status == ABSENT && step[0] == IDLE -> claim(0) }
  :: atomic { status == ABSENT && step[1] == IDLE -> claim(1) }
  :: atomic { ENDED -> replay(0) }
#if defined(OTHER_PAYLOAD)
  :: atomic { ENDED -> replay(1) }
#endif
  od
}

/* People and settlement: an end by proof, which raises the epoch. */
proctype People() {
  do
  :: atomic { charges > 0 && LIVING -> endCompleted(); openAttempt = 0 }
  :: atomic { status == UNKNOWN && openAttempt == 0 && graceOver && charges == 0 && PROVIDER_IS_SETTLED -> endFailed() }
#if !defined(NO_SETTLEMENT)
  :: atomic { charges > 0 && status == FAILED && !lateCase -> lateCase = 1 }
#endif
  od
}

init {
  atomic {
    run Engine(0); run Engine(1); run Provider(); run Clock(); run Lease(); run Clients();
#if !defined(LIVE) || defined(LATE_TRUTH)
    run People()
#endif
  }
}

/* ---- what must come about, under weak fairness ---- */
#if defined(LEAVES_PROCESSING)
ltl leaves { [] (status == PROCESSING -> <> (status != PROCESSING)) }
#elif defined(ENDS)
ltl ends { [] (accepted -> <> ENDED) }
#elif defined(CHARGED_ENDS)
ltl chargedEnds { [] (charges == 1 -> <> (status == COMPLETED)) }
#elif defined(ENDS_WHILE_IT_MAY_RESEND)
ltl endsByResending { [] (accepted -> <> (ENDED || sent == MAX_SENDS || windowOver || deadlineOver)) }
#elif defined(PROOF_IS_HEARD)
ltl heard { [] (proof[0] == IS_CAPTURED -> <> (ENDED && proof[0] != IS_CAPTURED)) }
#elif defined(LATE_TRUTH_IS_TOLD)
ltl told { [] ((status == FAILED && charges == 1) -> <> lateCase) }
#endif
