"""English words in and before names: titles, and words of organisations' and places' names."""

from crossdoc.lang.language import NameWords, Titles, words

FEMALE = words(
    """mrs ms miss mme madame madam lady queen princess dame duchess countess baroness empress sister mother señora
    senora frau signora doña tsarina marchioness abbess"""
)
MALE = words(
    """mr mister sir lord king prince duke earl baron emperor pope father brother monsieur señor senor herr signor
    tsar sultan marquess marquis monsignor friar abbot rev reverend"""
)
NEUTRAL = words(
    """dr prof professor president senator judge justice general colonel captain major lieutenant sergeant
    chancellor minister governor mayor detective officer agent inspector chief saint st the"""
)
# "General" and "Chief" also open names of other things.
TELLING = words(
    """mr mrs ms miss dr sen rep gov prof sir lord lady president senator congressman congresswoman mayor judge rev
    reverend sgt sergeant lt capt col gen maj cmdr justice pope"""
)

TITLES = Titles(
    female=FEMALE,
    male=MALE,
    neutral=NEUTRAL,
    telling=TELLING,
    introducing=words("mr mrs ms miss dr sen rep gov prof rev"),
    also=words("mister spokesman spokeswoman congressman congresswoman"),
    # "Dean Smith", "Duke Ellington", "St. Louis".
    names_too=words("dean don duke m major count elder prince king saint st private justice baron bishop"),
    before_first_names=words("sir lady"),
    monarchs=words("king queen emperor empress sultan emir pope"),
    # "Miss." is Mississippi.
    places_too=words("miss"),
    not_first_names=words("Prince King Saint"),
    role_of={
        "sen": "senator", "rep": "representative", "gov": "governor", "dr": "doctor", "prof": "professor",
        "gen": "general", "col": "colonel", "capt": "captain", "lt": "lieutenant", "sgt": "sergeant",
        "congressman": "congressman", "rev": "pastor", "pres": "president",
    },
)  # fmt: skip

NAME_WORDS = NameWords(
    organisations=words(
        """inc corp corporation co company ltd plc llc gmbh ag bros brothers associates partners group holdings
        industries university college institute foundation school hospital church chapel cathedral museum aquarium
        library press bank airlines airways records committee commission association union party council center centre
        motors"""
    ),
    places=words(
        """street st avenue ave road rd boulevard blvd lane drive square park river lake mountain county township
        airport bridge island islands valley beach stadium arena building highway tunnel plaza terrace bay creek
        heights"""
    ),
    dismissals=words("b c st lbw"),
    # "Frank Church", "Rosa Park", "Joyce Brothers".
    units=words(
        """shr shrs sh dlr dlrs ct cts mln bln revs rev net oper qtr qtrs mth mths yr yrs avg avgs pct vs nil prior note
        stg yen dividend bpd cwt tonne tonnes"""
    ),
    surnames_too=words(
        """st drive lane bay church press park lake river school center brothers union bridge heights"""
    ),
    not_surnames=words("Korea Ireland Virginia Carolina Dakota Africa America Cup Open Day Act"),
    with_article=words("Hague Bronx"),
    # "General" is no short form of General Motors, nor "National" of the National Cycling Association.
    too_general=words(
        """general national american united first new north south east west international federal royal british
        city state world university bank department ministry board house institute college school church
        committee commission council court association european central great big air"""
    ),
    derived=words(
        """foundation institute research store stores fund museum center centre field park stadium award awards
        press ventures university school hospital library building plaza canada europe asia japan china union"""
    ),
    bodies=words(
        """ministry department agency bureau authority court senate congress parliament assembly cabinet police army
        navy force forces guard newsroom desk federation confederation league office board fund exchange front
        movement alliance coalition tribunal service corps secretariat administration embassy organisation
        organization society academy times post herald tribune journal gazette guardian telegraph news radio
        television tv reserve treasury fed government house nations militia brigade guerrillas rebels democrats
        republicans greens socialists communists conservatives labour liberals mujahideen likud hamas hizbollah
        hezbollah taleban taliban"""
    ),
    trades=words(
        """international industries enterprises oil petroleum gas energy steel mines mining electric telecom
        telecommunications insurance life trust securities capital financial finance investments investment brokers
        stores pharmaceuticals pharmaceutical laboratories labs air systems technologies technology software computer
        computers communications foods chemicals chemical paper power resources products entertainment media
        publishing properties realty savings bancorp bancshares bankers markets motor auto shipping lines railway
        railroad cement textiles rubber breweries semiconductor electronics instruments medical health healthcare
        spa sa nv ab oy asa as bv kg pte pty bhd tbk se lp llp"""
    ),
    clubs=words(
        """fc afc ac cf sc sv sk fk nk bk if ifk gks lks united city town rovers wanderers athletic athletics albion
        rangers county hotspur villa wednesday forest palace argyle alexandra orient celtic hibernian hearts
        thistle academical rovers dynamo dinamo spartak lokomotiv torpedo cska sparta slavia slovan zenit real
        atletico sporting inter internazionale lazio roma juventus sampdoria racing olympique stade borussia bayern
        eintracht werder vfb vfl msv tsv hansa arminia schalke fortuna bayer hamburger rapid austria sturm
        grasshopper grasshoppers psv ajax feyenoord vitesse twente utrecht benfica boavista fenerbahce galatasaray
        besiktas partizan hajduk ferencvaros honved ujpest legia widzew steaua anderlecht brugge standard arsenal
        chelsea everton tottenham liverpool aston nottingham tigers lions bears cubs sox yankees mets orioles
        indians twins royals brewers mariners athletics angels astros braves marlins expos phillies pirates
        cardinals reds rockies padres dodgers giants jays blue jays cowboys eagles redskins packers vikings
        buccaneers saints falcons panthers rams 49ers seahawks raiders chiefs broncos chargers dolphins patriots
        jets bills colts oilers steelers bengals browns ravens jaguars bulls knicks nets celtics sixers heat magic
        hawks hornets pacers pistons cavaliers raptors bucks timberwolves spurs rockets mavericks nuggets jazz
        suns clippers lakers kings warriors sonics supersonics blazers grizzlies flyers islanders devils capitals
        penguins sabres senators canadiens bruins whalers leafs blackhawks blues stars coyotes avalanche oilers
        flames canucks sharks ducks lightning broncos bulldogs swans crows dockers demons magpies kangaroos
        springboks blacks wallabies warriors eels roosters raiders knights seagulls steelers hurricanes crusaders
        tigers magpies dragons rabbitohs"""
    ),
    always_capitals=words("US UK UN EU EC SEC"),
    table_words=words(
        """standings results result scores score scoreboard division won lost drawn played points goals percentage
        schedule round final semifinal semifinals quarterfinals innings total bowling extras fall attendance halftime
        scorers tabulate matches leading overall stage heat group summaries pct gb note table championship
        tournament cup open classic prix championships olympics series bonds index shares futures price prices
        coupon maturity market stocks report week year month monday tuesday wednesday thursday friday saturday
        sunday january february march april may june july august september october november december
        jan feb mar apr jun jul aug sept sep oct nov dec"""
    ),
    team_sports=words(
        """soccer football baseball basketball cricket rugby hockey nba nfl nhl goals goal inning innings league
        striker midfielder goalkeeper touchdown pitcher homer halftime wicket wickets"""
    ),
    single_sports=words(
        """tennis golf athletics cycling boxing swimming skiing motorcycling rallying badminton squash gymnastics
        snooker racing skating chess metres marathon stage lap laps seeded sets"""
    ),
)
